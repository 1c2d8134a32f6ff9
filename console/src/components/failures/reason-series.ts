/** Reasons of failed calls as series of a chart: texts of providers that mean the same are one, and red means failure. Pure. */
import type { MessageDescriptor } from "@lingui/core";
import type { ProblemsOverTime } from "@tollgate/contract/figures/logs.ts";
import { calmMark, chooseFailureMark, type SeriesMark } from "../../ui/chart/chart-palette.ts";
import { findFailureWords } from "./failure-words.ts";
import { outcomeLabels } from "./outcome-labels.ts";

type Reason = ProblemsOverTime["reasons"][number];
export type ReasonSeries = { name: string; values: readonly number[]; mark?: SeriesMark };
type ReasonWords = {
  translate: (words: MessageDescriptor) => string;
  /** What an answered call is called: it is here because it was sent again, or because it was slow. */
  answered: string;
  /** What a call is called that never started. */
  refused: string;
};

/** `refusedOutcome` is that of calls that never started; their log rows have a type of their own. */
export const refusedOutcome = "refused";
const nameLengthMax = 80;

function nameReason({ outcome, content }: Reason, { translate, answered, refused }: ReasonWords): string {
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

/** Clients that left are grey, and calls that were answered late or at the second try have a mark by their name: neither is a failure. */
export function buildReasonSeries(reasons: readonly Reason[], words: ReasonWords): ReasonSeries[] {
  const series = new Map<string, ReasonSeries>();
  let failures = 0;
  const chooseMark = (outcome: string): SeriesMark | undefined => {
    if (outcome === "client_left") return calmMark;
    if (outcome === "success") return undefined;
    failures += 1;
    return chooseFailureMark(failures - 1);
  };
  for (const reason of reasons) {
    const name = nameReason(reason, words);
    const before = series.get(name);
    const mark = before ? before.mark : chooseMark(reason.outcome);
    const values = reason.calls.map((value, place) => value + (before?.values[place] ?? 0));
    series.set(name, { name, values, ...(mark !== undefined && { mark }) });
  }
  return [...series.values()];
}
