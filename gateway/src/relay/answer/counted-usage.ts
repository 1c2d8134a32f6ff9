/** Replaces the estimated usage of a call by counted tokens, where they can be counted. */
import type { TokenCounting, TokenCountResult } from "../counting/token-counting.ts";
import type { RelayCall } from "../formats/api-format.ts";
import type { CallResult } from "./respond.ts";

/** `call` is the client's own, before any translation: its body is the prompt. `model` is the upstream's name. */
export async function withCountedUsage(
  result: CallResult,
  call: RelayCall,
  model: string,
  counting: TokenCounting,
): Promise<CallResult> {
  const { uncounted, usage, note } = result;
  if (!uncounted) return result;
  const { sample, opaqueTokens, hasPrompt, completionMin } = uncounted;
  const prompt = hasPrompt && usage.input > 0 && !call.form ? call.body : undefined;
  const counted = await counting.count(model, prompt, sample);
  if (!counted) return result;
  const output = sample.length > 0 && counted.output !== undefined ? counted.output + opaqueTokens : usage.output;
  return {
    ...result,
    usage: { ...usage, input: counted.prompt ?? usage.input, output: Math.max(output, completionMin) },
    note: [note, countingNote(counted)].filter((part) => part !== "").join("; "),
  };
}

function countingNote({ prompt, encoding, isSampled }: TokenCountResult): string {
  const what = prompt === undefined ? "the answer counted" : "counted";
  return `${what} with ${encoding}${isSampled ? ", by a sample" : ""}`;
}
