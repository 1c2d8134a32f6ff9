/** The range of days that a dashboard may request, and its measures. Pure. */
import { roles } from "@tollgate/contract/accounts/roles.ts";
import { refuse } from "../../http/refusal.ts";
import { findPercentile, latencyColumns, ttftColumns } from "../../storage/rollups.ts";
import type { RollupMeasures } from "../../storage/tables/call-tables.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export interface DayRange {
  first: number;
  last: number;
}

const computeDay = (text: string) => Date.parse(`${text}T00:00:00Z`) / dayMs;
export const computeToday = (now: number): number => Math.floor(now / dayMs);

/**
 * `findSameTime` gives milliseconds, the end exclusive: the previous UTC day until the time of day
 * that it is now.
 */
export const findSameTime = (now: number): { from: number; to: number } => ({
  from: (computeToday(now) - 1) * dayMs,
  to: now - dayMs,
});

export const formatDayText = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);

/** Local dates may be a day ahead of or behind UTC, so both ends have a day of grace. */
const graceDays = 1;

/** `findRangeProblem` is the first rule that the days break. */
export function findRangeProblem({ first, last }: DayRange, role: number, now: number) {
  const isAdmin = role >= roles.admin;
  if (first > last) return "date_order";
  if (last > computeToday(now) + graceDays) return "date_in_future";
  if (last - first + 1 > (isAdmin ? 366 : 7))
    return isAdmin ? "date_range_year" : "date_range_week";
  if (computeToday(now) - first > (isAdmin ? 366 : 7) + graceDays)
    return isAdmin ? "date_too_old_year" : "date_too_old_week";
  return undefined;
}

/**
 * Both ends are inclusive. At most a week for users and a year for administrators; by default the
 * last seven days.
 */
export function readRequestedDays(
  from: string | undefined,
  to: string | undefined,
  role: number,
  now: number,
): DayRange {
  const last = to === undefined ? computeToday(now) : computeDay(to);
  const first = from === undefined ? last - 6 : computeDay(from);
  const problem = findRangeProblem({ first, last }, role, now);
  if (problem !== undefined) throw refuse(problem);
  return { first, last };
}

const computeRatio = (part: number, whole: number) => (whole > 0 ? part / whole : null);
const roundFigure = (value: number | null) => (value === null ? null : Math.round(value));

/** Roll-ups of teams count neither latencies nor hits of caches. */
type CountedMeasures = Pick<
  RollupMeasures,
  "requests" | "failures" | "quota" | "prompt_tokens" | "completion_tokens" | "cached_prompt_tokens"
>;

/** The sums of a roll-up in wire format. Latencies exclude failed calls. */
export function buildUsageView(day: number, row: CountedMeasures & Partial<RollupMeasures>) {
  const numbers = row as unknown as Record<string, number>;
  const histogram = (columns: readonly string[]) =>
    columns.map((column) => Number(numbers[column] ?? 0));
  const good = row.requests - row.failures;
  const success = computeRatio(good * 100, row.requests);
  const countIn = (columns: readonly string[]) =>
    histogram(columns).reduce((sum, count) => sum + count, 0);
  return {
    Day: formatDayText(day),
    RequestCount: row.requests,
    Quota: row.quota,
    PromptTokens: row.prompt_tokens,
    CompletionTokens: row.completion_tokens,
    CachedPromptTokens: row.cached_prompt_tokens,
    CacheHitCount: row.cache_hits ?? 0,
    CacheHitQuota: row.cache_hit_quota ?? 0,
    failures: row.failures,
    success_rate: success === null ? null : Math.round(success * 100) / 100,
    avg_latency_ms:
      row.elapsed_ms === undefined
        ? null
        : roundFigure(computeRatio(row.elapsed_ms, countIn(latencyColumns))),
    p95_latency_ms: findPercentile(histogram(latencyColumns), 0.95),
    ttft_ms: roundFigure(computeRatio(row.ttft_ms ?? 0, countIn(ttftColumns))),
  };
}

/** A short status of the account or accounts that the dashboard shows. */
export const readStatusOfUser = (status: number) =>
  ["Unknown", "Active", "Disabled", "Deleted"][status] ?? "Unknown";
export function readStatusOfSite(active: number, all: number): string {
  if (active === 0) return "No Active Users";
  return active === all ? "All Active" : `${active}/${all} Active`;
}
