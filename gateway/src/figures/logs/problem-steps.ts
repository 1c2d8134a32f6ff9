/**
 * Problems over time: how long the steps are, and which reasons and channels have a series of their
 * own. Pure.
 */
import type { ProblemsOverTime } from "@tollgate/contract/figures/logs.ts";

/** A minute to a week: what a reader takes for a unit. */
const stepLengths = [60, 300, 900, 3_600, 4 * 3_600, 86_400, 7 * 86_400];
/** More bars than this are thinner than a finger on a phone. */
const stepsMax = 60;
/** More series than this are hard to tell apart in one chart. */
const seriesMax = 8;

/** `TimeSteps` are in seconds. */
export interface TimeSteps {
  from: number;
  step: number;
  count: number;
}

/** The calls of one reason and channel in one step. */
export interface ProblemStep {
  outcome: string;
  content: string;
  /** 0 and empty where channels are not told apart. */
  channel_id: number;
  channel_name: string;
  step: number;
  calls: number;
}

/**
 * Steps that begin at whole multiples of their length, from the one with the first second to the
 * one with the last.
 */
export function timeSteps(first: number, last: number): TimeSteps {
  const placesOf = (step: number) => Math.floor(last / step) - Math.floor(first / step) + 1;
  // Two less: the ends of the span may lie within their steps.
  const longest = Math.ceil((last - first) / (stepsMax - 2));
  const step = stepLengths.find((length) => placesOf(length) <= stepsMax) ?? longest;
  return { from: Math.floor(first / step) * step, step, count: placesOf(step) };
}

/**
 * The reasons, and for administrators the channels, with most calls, each by step, and the sum of
 * all others.
 */
export function buildProblemsOverTime(
  found: readonly ProblemStep[],
  { from, step, count }: TimeSteps,
  isByChannel: boolean,
): ProblemsOverTime {
  const [reasons, other] = rankKinds(found, count, ({ outcome, content }) => ({
    outcome,
    content,
  }));
  if (!isByChannel) return { from, step, reasons, other };
  // A channel that was renamed in the range is one, and rows of old versions have no name of
  // theirs.
  const names = new Map<number, string>();
  for (const { channel_id: id, channel_name: name } of found)
    if (name > (names.get(id) ?? "")) names.set(id, name);
  const [byId, otherChannels] = rankKinds(found, count, ({ channel_id }) => ({
    channel: channel_id,
  }));
  const channels = byId.map(({ channel, calls }) => ({
    channel,
    channel_name: names.get(channel) ?? "",
    calls,
  }));
  return { from, step, reasons, other, by_channel: { channels, other: otherChannels } };
}

/** The calls of each step of the kinds with most calls, and those of all other kinds. */
function rankKinds<Kind extends object>(
  found: readonly ProblemStep[],
  count: number,
  kindOf: (step: ProblemStep) => Kind,
): [kinds: (Kind & { calls: number[] })[], other: number[]] {
  const noCalls = () => Array.from({ length: count }, () => 0);
  const kinds = new Map<string, { kind: Kind; calls: number[]; total: number }>();
  for (const one of found) {
    const kind = kindOf(one);
    const name = JSON.stringify(kind);
    const sums = kinds.get(name) ?? { kind, calls: noCalls(), total: 0 };
    sums.calls[one.step] = (sums.calls[one.step] ?? 0) + one.calls;
    sums.total += one.calls;
    kinds.set(name, sums);
  }
  const sorted = [...kinds.values()].sort((a, b) => b.total - a.total);
  const rest = sorted.slice(seriesMax);
  const other = noCalls().map((_, place) =>
    rest.reduce((sum, { calls }) => sum + (calls[place] ?? 0), 0),
  );
  return [sorted.slice(0, seriesMax).map(({ kind, calls }) => ({ ...kind, calls })), other];
}
