/** Usage as OpenAI's APIs count it. */
import { noUsage } from "../../money/price.ts";
import { type ReportedUsage, tokenCount } from "./reported-usage.ts";

interface PromptTokensDetailsWire {
  cached_tokens?: unknown;
  audio_tokens?: unknown;
}

interface CompletionTokensDetailsWire {
  reasoning_tokens?: unknown;
  audio_tokens?: unknown;
}

/** Chat completions and embeddings. */
interface ChatUsageWire {
  prompt_tokens?: unknown;
  completion_tokens?: unknown;
  prompt_tokens_details?: PromptTokensDetailsWire | null;
  completion_tokens_details?: CompletionTokensDetailsWire | null;
}

/** Responses. */
interface ResponsesUsageWire {
  input_tokens?: unknown;
  output_tokens?: unknown;
  input_tokens_details?: PromptTokensDetailsWire | null;
  output_tokens_details?: CompletionTokensDetailsWire | null;
}

/** Disjoint buckets from a count whose prompt tokens include cached ones; undefined when every count is 0. */
export function parseOpenAiUsage(wire: unknown): ReportedUsage | undefined {
  if (typeof wire !== "object" || wire === null) return undefined;
  const reported = wire as ChatUsageWire & ResponsesUsageWire;
  const prompt = tokenCount(reported.prompt_tokens ?? reported.input_tokens);
  const output = tokenCount(reported.completion_tokens ?? reported.output_tokens ?? 0);
  if (prompt === undefined || output === undefined) return undefined;
  if (prompt === 0 && output === 0) return undefined;
  const promptDetails = reported.prompt_tokens_details ?? reported.input_tokens_details;
  const completionDetails = reported.completion_tokens_details ?? reported.output_tokens_details;
  const reportedCached = promptDetails?.cached_tokens ?? 0;
  const cache_read = Math.min(tokenCount(reportedCached) ?? 0, prompt);
  // The count does not say how much audio was cached: cached tokens count as text, audio as not cached.
  const input_audio = Math.min(tokenCount(promptDetails?.audio_tokens) ?? 0, prompt - cache_read);
  const output_audio = Math.min(tokenCount(completionDetails?.audio_tokens) ?? 0, output);
  // Reasoning is not delivered, and audio has no text.
  const hiddenOutput = Math.min((tokenCount(completionDetails?.reasoning_tokens) ?? 0) + output_audio, output);
  const usage = {
    ...noUsage,
    input: prompt - cache_read - input_audio,
    cache_read,
    output: output - output_audio,
    ...(input_audio > 0 && { input_audio }),
    ...(output_audio > 0 && { output_audio }),
  };
  return { usage, hiddenOutput, isCorrected: cache_read !== reportedCached };
}
