/** Usage as OpenAI's interfaces count it. */
import { noUsage } from "../../money/price.ts";
import { type ReadUsage, tokenCount } from "../usage.ts";

interface PromptDetails {
  cached_tokens?: unknown;
  audio_tokens?: unknown;
}

interface AnswerDetails {
  reasoning_tokens?: unknown;
  audio_tokens?: unknown;
}

/** Chat completions and embeddings. */
interface ChatUsage {
  prompt_tokens?: unknown;
  completion_tokens?: unknown;
  prompt_tokens_details?: PromptDetails | null;
  completion_tokens_details?: AnswerDetails | null;
}

/** Responses. */
interface ResponseUsage {
  input_tokens?: unknown;
  output_tokens?: unknown;
  input_tokens_details?: PromptDetails | null;
  output_tokens_details?: AnswerDetails | null;
}

/** Disjoint buckets from a count in which prompt tokens include the cached ones; undefined when it counts nothing. */
export function usageFrom(wire: unknown): ReadUsage | undefined {
  if (typeof wire !== "object" || wire === null) return undefined;
  const said = wire as ChatUsage & ResponseUsage;
  const prompt = tokenCount(said.prompt_tokens ?? said.input_tokens);
  const output = tokenCount(said.completion_tokens ?? said.output_tokens ?? 0);
  if (prompt === undefined || output === undefined) return undefined;
  if (prompt === 0 && output === 0) return undefined;
  const asked = said.prompt_tokens_details ?? said.input_tokens_details;
  const answered = said.completion_tokens_details ?? said.output_tokens_details;
  const cachedSaid = asked?.cached_tokens ?? 0;
  const cache_read = Math.min(tokenCount(cachedSaid) ?? 0, prompt);
  // Of sound nothing says how much was cached: the cached tokens count as text, and sound as not cached.
  const input_audio = Math.min(tokenCount(asked?.audio_tokens) ?? 0, prompt - cache_read);
  const output_audio = Math.min(tokenCount(answered?.audio_tokens) ?? 0, output);
  // Nobody sees what was thought, and sound shows no letters.
  const hidden = Math.min((tokenCount(answered?.reasoning_tokens) ?? 0) + output_audio, output);
  const usage = {
    ...noUsage,
    input: prompt - cache_read - input_audio,
    cache_read,
    output: output - output_audio,
    ...(input_audio > 0 && { input_audio }),
    ...(output_audio > 0 && { output_audio }),
  };
  return { usage, hidden, isFlagged: cache_read !== cachedSaid };
}
