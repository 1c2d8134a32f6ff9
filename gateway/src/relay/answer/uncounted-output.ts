/** Output that no provider has counted to the end, kept so that a tokenizer can count it before the charge. */
import type { SampledText } from "../counting/text-sample.ts";
import type { ChargedUsage } from "../formats/reported-usage.ts";
import { opaqueTokens } from "../formats/written-output.ts";

export interface UncountedOutput {
  /** A sample of the delivered text. */
  sample: SampledText;
  /** Tokens of what was delivered and is no text. */
  opaqueTokens: number;
  /** The prompt is uncounted as well. */
  hasPrompt: boolean;
  /** The provider's own last count of the output: the charge is never below it. */
  completionMin: number;
}

interface DeliveredText {
  sample: SampledText;
  opaqueLength?: number;
}

/** The member of a call's result; nothing for a final count. */
export function uncountedOf(
  { uncounted }: ChargedUsage,
  { sample, opaqueLength = 0 }: DeliveredText,
): { uncounted?: UncountedOutput } {
  return uncounted ? { uncounted: { ...uncounted, sample, opaqueTokens: opaqueTokens(opaqueLength) } } : {};
}
