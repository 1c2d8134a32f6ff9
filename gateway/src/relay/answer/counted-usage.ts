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
  const { outputSample, usage, note } = result;
  if (!outputSample) return result;
  const prompt = usage.input > 0 && !call.form ? call.body : undefined;
  const counted = await counting.count(model, prompt, outputSample);
  if (!counted) return result;
  return {
    ...result,
    usage: {
      ...usage,
      input: counted.prompt ?? usage.input,
      output: outputSample.length > 0 ? (counted.output ?? usage.output) : usage.output,
    },
    note: [note, countingNote(counted)].filter((part) => part !== "").join("; "),
  };
}

function countingNote({ prompt, encoding, isSampled }: TokenCountResult): string {
  const what = prompt === undefined ? "the answer counted" : "counted";
  return `${what} with ${encoding}${isSampled ? ", by a sample" : ""}`;
}
