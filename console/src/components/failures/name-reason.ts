import type { MessageDescriptor } from "@lingui/core";
import { findFailureWords } from "./failure-words.ts";
import { outcomeLabels } from "./outcome-labels.ts";
import { type Reason, refusedOutcome } from "./reason-series.ts";

type ReasonWords = {
  translate: (words: MessageDescriptor) => string;
  /**
   * The word for an answered call: it is listed because it was sent again, or because it was slow.
   */
  answered: string;
  /** The word for a call that never started. */
  refused: string;
};

const nameLengthMax = 80;

/**
 * Names a reason in the reader's language, and where no words are known by the text of the
 * provider.
 */
export function nameReason(
  { outcome, content }: Reason,
  { translate, answered, refused }: ReasonWords,
): string {
  if (outcome === "success") return answered;
  const words = findFailureWords(content);
  if (words !== undefined) return translate(words.what);
  const isRefused = outcome === refusedOutcome;
  // What is written to a call that broke off is about its bill.
  if (content !== "" && (isRefused || outcome === "failed")) return content.slice(0, nameLengthMax);
  if (isRefused) return refused;
  const known = outcomeLabels[outcome];
  return known === undefined ? outcome : translate(known.label);
}
