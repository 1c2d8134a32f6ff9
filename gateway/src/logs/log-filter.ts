/** What a request asks for, as ranges and columns of the log. Pure. */
import { refuse } from "../http/refusal.ts";
import { idFloor } from "../storage/time-ids.ts";

export interface LogQueryParams {
  type?: number | undefined;
  token_name?: string | undefined;
  model_name?: string | undefined;
  start_timestamp?: number | undefined;
  end_timestamp?: number | undefined;
  keyword?: string | undefined;
}

/** Milliseconds, the end excluded. */
export interface TimeSpan {
  from: number;
  to: number;
}

export interface LogRowFilter extends TimeSpan {
  userId?: number | undefined;
  /** Of somebody who no longer exists: only the name on the rows is left. */
  username?: string | undefined;
  channelId?: number | undefined;
  model?: string | undefined;
  tokenName?: string | undefined;
  type?: number | undefined;
  keyword?: string | undefined;
}

export const consume = 2;
const endOfTime = 8_000_000_000_000;

/** Both ends are inclusive seconds on the wire. */
export const spanOf = ({ start_timestamp, end_timestamp }: LogQueryParams): TimeSpan => ({
  from: start_timestamp === undefined ? 0 : start_timestamp * 1000,
  to: end_timestamp === undefined ? endOfTime : (end_timestamp + 1) * 1000,
});

export const filterOf = (query: LogQueryParams): LogRowFilter => ({
  ...spanOf(query),
  model: query.model_name,
  tokenName: query.token_name,
  type: query.type || undefined,
  keyword: query.keyword,
});

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
/** Thirty days, and the hours that a default range reaches into the future. */
const searchSpanMs = 30 * dayMs + 2 * hourMs;

/** Text search and odd orders read rows one by one, so they are kept to a month; without a range it is the last one. */
export function monthOf({ from, to }: TimeSpan, now: number): TimeSpan {
  const until = Math.min(to, now + 2 * hourMs);
  const since = from === 0 ? until - 30 * dayMs : from;
  if (until - since > searchSpanMs) throw refuse("log_range_required");
  return { from: since, to: until };
}

/** Ids are times, so a span of time is a range of ids. */
export const idRange = ({ from, to }: TimeSpan) => ({ first: idFloor(from), end: idFloor(to) });

/** What no index narrows and every row must be looked at for. Type 2 is nearly every row, so it costs nothing. */
export const needsScan = ({ type, tokenName, username, keyword, ...indexed }: LogRowFilter) =>
  (type !== undefined && type !== consume) ||
  tokenName !== undefined ||
  username !== undefined ||
  keyword !== undefined ||
  (indexed.channelId !== undefined && (indexed.userId !== undefined || indexed.model !== undefined));

/** Numbers of hours or days since 1970, the end excluded. */
export interface RollupUnits {
  first: number;
  end: number;
}

/** A span as whole roll-up units in the middle and what sticks out at either end. */
export function wholeUnits(
  { from, to }: TimeSpan,
  unitMs: number,
  now: number,
): { units: RollupUnits | undefined; edges: TimeSpan[] } {
  const first = Math.ceil(from / unitMs);
  // The unit that contains now is complete as far as there is anything to count.
  const end = to > now ? Math.floor(now / unitMs) + 1 : Math.floor(to / unitMs);
  if (first >= end) return { units: undefined, edges: [{ from, to }] };
  const edges = [
    { from, to: first * unitMs },
    { from: end * unitMs, to },
  ].filter((edge) => edge.from < edge.to && edge.from <= now);
  return { units: { first, end }, edges };
}
