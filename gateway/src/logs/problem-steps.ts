/** Problems by reason over time: how long the steps are, and which reasons have a series of their own. Pure. */
import type { ProblemsOverTime } from "@tollgate/contract/logs.ts";

/** A minute to a week: what a reader takes for a unit. */
const stepLengths = [60, 300, 900, 3_600, 4 * 3_600, 86_400, 7 * 86_400];
/** More bars than this are thinner than a finger on a phone. */
const stepsMax = 60;
/** More series than this are hard to tell apart in one chart. */
const reasonsMax = 8;

/** In seconds. */
export interface TimeSteps {
  from: number;
  step: number;
  count: number;
}

/** The calls of one reason in one step. */
export interface ProblemStep {
  outcome: string;
  content: string;
  step: number;
  calls: number;
}

/** Steps that begin at whole multiples of their length, from the one with the first second to the one with the last. */
export function timeSteps(first: number, last: number): TimeSteps {
  const placesOf = (step: number) => Math.floor(last / step) - Math.floor(first / step) + 1;
  // Two less: the ends of the span may lie within their steps.
  const longest = Math.ceil((last - first) / (stepsMax - 2));
  const step = stepLengths.find((length) => placesOf(length) <= stepsMax) ?? longest;
  return { from: Math.floor(first / step) * step, step, count: placesOf(step) };
}

/** The reasons with most calls, each by step, and the sum of all others. */
export function problemsOverTime(found: readonly ProblemStep[], { from, step, count }: TimeSteps): ProblemsOverTime {
  const noCalls = () => Array.from({ length: count }, () => 0);
  const reasons = new Map<string, { outcome: string; content: string; calls: number[]; total: number }>();
  for (const { outcome, content, step: place, calls } of found) {
    const name = JSON.stringify([outcome, content]);
    const reason = reasons.get(name) ?? { outcome, content, calls: noCalls(), total: 0 };
    reason.calls[place] = (reason.calls[place] ?? 0) + calls;
    reason.total += calls;
    reasons.set(name, reason);
  }
  const ranked = [...reasons.values()].sort((a, b) => b.total - a.total);
  const rest = ranked.slice(reasonsMax);
  const other = noCalls().map((_, place) => rest.reduce((sum, { calls }) => sum + (calls[place] ?? 0), 0));
  const shown = ranked.slice(0, reasonsMax).map(({ outcome, content, calls }) => ({ outcome, content, calls }));
  return { from, step, reasons: shown, other };
}
