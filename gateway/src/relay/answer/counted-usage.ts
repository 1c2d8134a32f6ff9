/**
 * Output that no provider has counted to the end: kept with the result of a call, and counted by a
 * tokenizer before the charge.
 */

import type { SampledText } from "../counting/text-sample.ts";
import type { TokenCounting, TokenCountResult } from "../counting/token-counting.ts";
import type { SentBody } from "../formats/call-parts.ts";
import type { ChargedUsage } from "../formats/usage/reported-usage.ts";
import { computeOpaqueTokens } from "../formats/usage/written-output.ts";
import type { CallResult, UncountedOutput } from "./call-result.ts";

/**
 * The member of a call's result that has the output counted; `sample` is read only for a count that
 * is not final.
 */
export const buildUncounted = (
  { uncounted }: ChargedUsage,
  sample: () => SampledText,
  opaqueLength = 0,
): { uncounted?: UncountedOutput } =>
  uncounted
    ? {
        uncounted: {
          ...uncounted,
          sample: sample(),
          opaqueTokens: computeOpaqueTokens(opaqueLength),
        },
      }
    : {};

/**
 * `call` is the client's own, before any translation: its body is the prompt. `model` is the
 * upstream's name.
 */
export async function addCountedUsage(
  result: CallResult,
  call: SentBody,
  model: string,
  counting: TokenCounting,
): Promise<CallResult> {
  const { uncounted, usage, note } = result;
  if (!uncounted) return result;
  const { sample, opaqueTokens: besideText, hasPrompt, completionMin } = uncounted;
  const prompt = hasPrompt && usage.input > 0 && !call.form ? call.body : undefined;
  const counted = await counting.count(model, prompt, sample);
  if (!counted) return result;
  const output =
    sample.length > 0 && counted.output !== undefined ? counted.output + besideText : usage.output;
  return {
    ...result,
    usage: {
      ...usage,
      input: counted.prompt ?? usage.input,
      output: Math.max(output, completionMin),
    },
    note: [note, formatCountingNote(counted)].filter((part) => part !== "").join("; "),
  };
}

function formatCountingNote({ prompt, encoding, isSampled }: TokenCountResult): string {
  const what = prompt === undefined ? "the answer counted" : "counted";
  return `${what} with ${encoding}${isSampled ? ", by a sample" : ""}`;
}
