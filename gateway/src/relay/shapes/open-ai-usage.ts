/** Usage as OpenAI's interfaces count it. */
import { noUsage } from "../../money/price.ts";
import { type ReadUsage, tokenCount } from "../usage.ts";

/** Chat completions and embeddings. */
interface ChatUsage {
  prompt_tokens?: unknown;
  completion_tokens?: unknown;
  prompt_tokens_details?: { cached_tokens?: unknown } | null;
  completion_tokens_details?: { reasoning_tokens?: unknown } | null;
}

/** Responses. */
interface ResponseUsage {
  input_tokens?: unknown;
  output_tokens?: unknown;
  input_tokens_details?: { cached_tokens?: unknown } | null;
  output_tokens_details?: { reasoning_tokens?: unknown } | null;
}

/** Disjoint buckets from a count in which prompt tokens include the cached ones; undefined when it counts nothing. */
export function usageFrom(wire: unknown): ReadUsage | undefined {
  if (typeof wire !== "object" || wire === null) return undefined;
  const said = wire as ChatUsage & ResponseUsage;
  const prompt = tokenCount(said.prompt_tokens ?? said.input_tokens);
  const output = tokenCount(said.completion_tokens ?? said.output_tokens ?? 0);
  if (prompt === undefined || output === undefined) return undefined;
  if (prompt === 0 && output === 0) return undefined;
  const cachedSaid = (said.prompt_tokens_details ?? said.input_tokens_details)?.cached_tokens ?? 0;
  const cache_read = Math.min(tokenCount(cachedSaid) ?? 0, prompt);
  const reasoning = (said.completion_tokens_details ?? said.output_tokens_details)?.reasoning_tokens;
  const hidden = Math.min(tokenCount(reasoning) ?? 0, output);
  const usage = { ...noUsage, input: prompt - cache_read, cache_read, output };
  return { usage, hidden, isFlagged: cache_read !== cachedSaid };
}
