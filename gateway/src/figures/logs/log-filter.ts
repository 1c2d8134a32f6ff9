/** Ranges and columns of the log, from query parameters. Pure. */
import type { OutcomeFilter } from "@tollgate/contract/figures/logs.ts";
import { refuse } from "../../http/refusal.ts";
import { readTimeSpan, type TimeSpan } from "../../storage/log-time.ts";
import { isWholeSite, type PayerScope } from "../../storage/payer-scope.ts";
import { computeIdFloor, computeIdTime, findIdFromText } from "../../storage/time-ids.ts";

export interface LogQueryParams {
  type?: number | undefined;
  token_name?: string | undefined;
  model_name?: string | undefined;
  start_timestamp?: number | undefined;
  end_timestamp?: number | undefined;
  keyword?: string | undefined;
  outcome?: OutcomeFilter | undefined;
  tag?: string | undefined;
  retried?: boolean | undefined;
  slow?: boolean | undefined;
  problem?: boolean | undefined;
  request_id?: string | undefined;
  run?: string | undefined;
  group?: string | undefined;
}

export interface LogRowFilter extends TimeSpan, PayerScope {
  /** `id` is one row; only the payer narrows it further. */
  id?: number | undefined;
  /** The name of a deleted user: only log rows still have it. */
  username?: string | undefined;
  channelId?: number | undefined;
  model?: string | undefined;
  tokenName?: string | undefined;
  /** `consume` stands for every row that carries a charge, as the roll-ups count them. */
  type?: number | undefined;
  keyword?: string | undefined;
  outcome?: OutcomeFilter | undefined;
  /** `key=value` */
  tag?: string | undefined;
  isRetried?: boolean | undefined;
  isSlow?: boolean | undefined;
  isProblem?: boolean | undefined;
  run?: string | undefined;
  group?: string | undefined;
}

export const storedOutcomes: Readonly<Record<OutcomeFilter, readonly string[]>> = {
  ok: ["success"],
  failed: ["failed"],
  cut: ["cut", "quota_ran_out", "interrupted"],
  client_left: ["client_left"],
};

/**
 * `matchesProblemsOnly` says whether only calls that did not go smoothly match: these have an index
 * of their own.
 */
export const matchesProblemsOnly = ({ outcome, isRetried, isProblem }: LogRowFilter): boolean =>
  isProblem === true || isRetried === true || (outcome !== undefined && outcome !== "ok");

export const consume = 2;
/** No row has it. */
const unknownId = 0;

/**
 * `buildLogFilter` lets a request id find its row, without regard to the other conditions, and so a
 * keyword that is a whole id.
 */
export function buildLogFilter(query: LogQueryParams): LogRowFilter {
  const id = query.request_id
    ? (findIdInKeyword(query.request_id) ?? unknownId)
    : findIdInKeyword(query.keyword ?? "");
  if (id !== undefined) return { id, from: computeIdTime(id), to: computeIdTime(id) + 1 };
  return {
    ...readTimeSpan(query),
    model: query.model_name,
    tokenName: query.token_name,
    type: query.type || undefined,
    keyword: query.keyword,
    outcome: query.outcome,
    tag: query.tag,
    isRetried: query.retried || undefined,
    isSlow: query.slow || undefined,
    isProblem: query.problem || undefined,
    run: query.run || undefined,
    group: query.group,
  };
}

/** A request id, a trace id, a uuid, or #7 as in every search. */
function findIdInKeyword(keyword: string): number | undefined {
  const text = keyword.trim();
  const number = /^#(\d{1,15})$/.exec(text)?.[1];
  return number === undefined ? findIdFromText(text) : Number(number);
}

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
/** Thirty days, plus the hours by which a default range reaches into the future. */
const searchSpanMs = 30 * dayMs + 2 * hourMs;

/**
 * The span of a text search or unindexed order, which scan rows: at most a month, by default the
 * last one.
 */
export function buildMonth({ from, to }: TimeSpan, now: number): TimeSpan {
  const until = Math.min(to, now + 2 * hourMs);
  const since = from === 0 ? until - 30 * dayMs : from;
  if (until - since > searchSpanMs) throw refuse("log_range_required");
  return { from: since, to: until };
}

/** Ids are time-ordered, so a time span is a range of ids. */
export const buildIdRange = ({ from, to }: TimeSpan) => ({
  first: computeIdFloor(from),
  end: computeIdFloor(to),
});

/**
 * `needsScan` says whether a condition has no index, so that rows are scanned. Nearly every row has
 * type 2, so that one is free.
 */
export const needsScan = ({ type, tokenName, username, keyword, ...indexed }: LogRowFilter) =>
  (type !== undefined && type !== consume) ||
  tokenName !== undefined ||
  username !== undefined ||
  keyword !== undefined ||
  indexed.outcome !== undefined ||
  indexed.tag !== undefined ||
  indexed.isRetried === true ||
  indexed.isSlow === true ||
  indexed.isProblem === true ||
  indexed.group !== undefined ||
  indexed.run !== undefined ||
  (indexed.channelId !== undefined && (!isWholeSite(indexed) || indexed.model !== undefined));

/** Numbers of hours or days since 1970; the end is exclusive. */
export interface RollupUnits {
  first: number;
  end: number;
}

/** Splits a span into whole roll-up units and the edges before and after them. */
export function buildWholeUnits(
  { from, to }: TimeSpan,
  unitMs: number,
  now: number,
): { units: RollupUnits | undefined; edges: TimeSpan[] } {
  const first = Math.ceil(from / unitMs);
  // The current unit counts as whole, because it has no rows after now.
  const end = to > now ? Math.floor(now / unitMs) + 1 : Math.floor(to / unitMs);
  if (first >= end) return { units: undefined, edges: [{ from, to }] };
  const edges = [
    { from, to: first * unitMs },
    { from: end * unitMs, to },
  ].filter((edge) => edge.from < edge.to && edge.from <= now);
  return { units: { first, end }, edges };
}
