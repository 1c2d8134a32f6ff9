/**
 * Reasons of failed calls as series of a chart: texts of providers that mean the same are one, and
 * red means failure. Pure.
 */
import type { ProblemsOverTime } from "@tollgate/contract/figures/logs.ts";
import {
  calmMark,
  chooseFailureMark,
  rescuedMark,
  type SeriesMark,
} from "../../ui/chart/chart-palette.ts";

export type Reason = ProblemsOverTime["reasons"][number];
export type ReasonSeries = { name: string; values: readonly number[]; mark?: SeriesMark };

/**
 * `refusedOutcome` is that of calls that never started; their log rows have a type of their own.
 */
export const refusedOutcome = "refused";

/**
 * Clients that left are grey, and calls that were answered late or at the second try have a mark
 * that no failure has. No mark follows the name, which differs by language.
 */
export function buildReasonSeries(
  reasons: readonly Reason[],
  nameOf: (reason: Reason) => string,
): ReasonSeries[] {
  const series = new Map<string, ReasonSeries>();
  let failures = 0;
  const chooseMark = (outcome: string): SeriesMark => {
    if (outcome === "client_left") return calmMark;
    if (outcome === "success") return rescuedMark;
    failures += 1;
    return chooseFailureMark(failures - 1);
  };
  for (const reason of reasons) {
    const name = nameOf(reason);
    const before = series.get(name);
    const mark = before?.mark ?? chooseMark(reason.outcome);
    const values = reason.calls.map((value, place) => value + (before?.values[place] ?? 0));
    series.set(name, { name, values, mark });
  }
  return [...series.values()];
}
