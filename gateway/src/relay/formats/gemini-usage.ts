/** Usage as Google counts it: reasoning is counted beside the output, cached tokens inside the prompt. */
import { noUsage, type Usage, usedExtras } from "../../money/price.ts";
import { type JsonRecord, record, records } from "../wire/json-parts.ts";
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

/** What Google looked up for an answer. */
export interface GeminiGrounding {
  /** Different searches of the web; Google bills no empty one. */
  searches: ReadonlySet<string>;
  /** Places of Google Maps were looked up: billed, and not counted. */
  hasPlaces: boolean;
}

export const noGrounding: GeminiGrounding = { searches: new Set(), hasPlaces: false };

/** The lookups of these candidates and of those before. */
export function groundingIn(candidates: readonly JsonRecord[], before: GeminiGrounding = noGrounding): GeminiGrounding {
  const grounded = candidates.map(({ groundingMetadata }) => record(groundingMetadata));
  const found = grounded.flatMap(({ webSearchQueries }) => (Array.isArray(webSearchQueries) ? webSearchQueries : []));
  const searches = found.filter((query): query is string => typeof query === "string" && query !== "");
  const hasPlaces = grounded.some(({ groundingChunks }) => records(groundingChunks).some(({ maps }) => maps != null));
  return { searches: new Set([...before.searches, ...searches]), hasPlaces: before.hasPlaces || hasPlaces };
}

/** Undefined when every count is 0. */
export function parseGeminiUsage(
  wire: unknown,
  { searches, hasPlaces }: GeminiGrounding = noGrounding,
): ReportedUsage | undefined {
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
  const web_searches = searches.size;
  // By the generation of the model, either the searches or the call has a price.
  const grounded_requests = Math.min(web_searches, 1);
  const extras = { input_audio, cache_read_audio, output_image, output_audio, web_searches, grounded_requests };
  const usage: Usage = {
    ...noUsage,
    input: prompt - cache_read - input_audio + toolPrompt,
    cache_read: cache_read - cache_read_audio,
    output: output - output_image - output_audio,
    ...usedExtras(extras),
  };
  // The tokens of images and speech cannot be estimated from the text of a reply.
  const textTokens = Math.min(tokensOf("TEXT", reported.candidatesTokensDetails), answer);
  const hiddenOutput = reasoning + (Array.isArray(reported.candidatesTokensDetails) ? answer - textTokens : 0);
  return {
    usage,
    hiddenOutput,
    isCorrected: cache_read !== reportedCached,
    ...(reported.promptTokenCount == null && { isPromptUncounted: true }),
    ...(hasPlaces && { hasUnknownFee: true }),
    wire: {
      family: "gemini",
      members: {
        ...record(wire),
        ...(web_searches > 0 && { groundingMetadata: { webSearchQueries: web_searches } }),
      },
    },
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
