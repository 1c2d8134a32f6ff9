/** Usage as Google counts it: reasoning is counted beside the output, cached tokens inside the prompt. */
import { noUsage, type Usage } from "../../money/price.ts";
import { record } from "../wire/json-parts.ts";
import { type ReportedUsage, tokenCount } from "./reported-usage.ts";

interface GeminiUsageWire {
  promptTokenCount?: unknown;
  /** Tokens that tools run by Google add to the prompt; `promptTokenCount` excludes them. */
  toolUsePromptTokenCount?: unknown;
  /** All of these together. */
  totalTokenCount?: unknown;
  cachedContentTokenCount?: unknown;
  candidatesTokenCount?: unknown;
  thoughtsTokenCount?: unknown;
  promptTokensDetails?: unknown;
  cacheTokensDetails?: unknown;
  candidatesTokensDetails?: unknown;
}

/** Undefined when every count is 0. */
export function parseGeminiUsage(wire: unknown): ReportedUsage | undefined {
  if (typeof wire !== "object" || wire === null) return undefined;
  const reported = wire as GeminiUsageWire;
  const prompt = tokenCount(reported.promptTokenCount ?? 0);
  const answer = tokenCount(reported.candidatesTokenCount ?? 0);
  if (prompt === undefined || answer === undefined) return undefined;
  const toolPrompt = tokenCount(reported.toolUsePromptTokenCount) ?? 0;
  // What the total counts beside the members is output.
  const counted = prompt + toolPrompt + answer;
  const reasoning = Math.max(
    tokenCount(reported.thoughtsTokenCount) ?? 0,
    (tokenCount(reported.totalTokenCount) ?? 0) - counted,
  );
  const output = answer + reasoning;
  if (prompt === 0 && output === 0) return undefined;
  const reportedCached = reported.cachedContentTokenCount ?? 0;
  const cache_read = Math.min(tokenCount(reportedCached) ?? 0, prompt);
  const cache_read_audio = Math.min(tokensOf("AUDIO", reported.cacheTokensDetails), cache_read);
  const uncachedAudio = tokensOf("AUDIO", reported.promptTokensDetails) - cache_read_audio;
  const input_audio = Math.min(Math.max(0, uncachedAudio), prompt - cache_read);
  const output_image = Math.min(tokensOf("IMAGE", reported.candidatesTokensDetails), answer);
  const output_audio = Math.min(tokensOf("AUDIO", reported.candidatesTokensDetails), answer - output_image);
  const extras = { input_audio, cache_read_audio, output_image, output_audio };
  const usage: Usage = {
    ...noUsage,
    input: prompt - cache_read - input_audio + toolPrompt,
    cache_read: cache_read - cache_read_audio,
    output: output - output_image - output_audio,
    ...Object.fromEntries(Object.entries(extras).filter(([, tokens]) => tokens > 0)),
  };
  // The tokens of images and speech cannot be estimated from the text of a reply.
  const textTokens = Math.min(tokensOf("TEXT", reported.candidatesTokensDetails), answer);
  const hiddenOutput = reasoning + (Array.isArray(reported.candidatesTokensDetails) ? answer - textTokens : 0);
  return {
    usage,
    hiddenOutput,
    isCorrected: cache_read !== reportedCached,
    wire: { family: "gemini", members: record(wire) },
  };
}

function tokensOf(modality: string, details: unknown): number {
  if (!Array.isArray(details)) return 0;
  return details.reduce(
    (sum: number, detail: { modality?: unknown; tokenCount?: unknown } | null) =>
      sum + (detail?.modality === modality ? (tokenCount(detail.tokenCount) ?? 0) : 0),
    0,
  );
}
