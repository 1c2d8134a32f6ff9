/** The range of days that a dashboard may request, and its measures. Pure. */
import { roles } from "@tollgate/contract/roles.ts";
import { refuse } from "../http/refusal.ts";
import { histogramBoundsMs, latencyColumns, ttftColumns } from "../storage/rollups.ts";
import type { RollupMeasures } from "../storage/tables/call-tables.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export interface DayRange {
  first: number;
  last: number;
}

const dayOf = (text: string) => Date.parse(`${text}T00:00:00Z`) / dayMs;
export const today = (now: number): number => Math.floor(now / dayMs);

/** In milliseconds, the end exclusive: the previous UTC day until the time of day that it is now. */
export const sameTimeBefore = (now: number): { from: number; to: number } => ({
  from: (today(now) - 1) * dayMs,
  to: now - dayMs,
});

export const dayText = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);

/** Local dates may be a day ahead of or behind UTC, so both ends have a day of grace. */
const graceDays = 1;

/** Both ends are inclusive. At most a week for users and a year for administrators; by default the last seven days. */
export function requestedDays(from: string | undefined, to: string | undefined, role: number, now: number): DayRange {
  const last = to === undefined ? today(now) : dayOf(to);
  const first = from === undefined ? last - 6 : dayOf(from);
  const isAdmin = role >= roles.admin;
  if (first > last) throw refuse("date_order");
  if (last > today(now) + graceDays) throw refuse("date_in_future");
  if (last - first + 1 > (isAdmin ? 366 : 7)) throw refuse(isAdmin ? "date_range_year" : "date_range_week");
  if (today(now) - first > (isAdmin ? 366 : 7) + graceDays)
    throw refuse(isAdmin ? "date_too_old_year" : "date_too_old_week");
  return { first, last };
}

/**
 * A percentile from a histogram, by linear interpolation within its bucket. The last bucket has no upper bound, so
 * its lower bound is returned.
 */
export function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let below = 0;
  const wanted = share * total;
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && below + count >= wanted) {
      const lower = bucket === 0 ? 0 : (histogramBoundsMs[bucket - 1] ?? 0);
      const upper = histogramBoundsMs[bucket] ?? lower;
      return Math.round(lower + (upper - lower) * ((wanted - below) / count));
    }
    below += count;
  }
  return null;
}

const ratio = (part: number, whole: number) => (whole > 0 ? part / whole : null);
const rounded = (value: number | null) => (value === null ? null : Math.round(value));

/** The sums of a roll-up in wire format. Latencies exclude failed calls. */
export function usageView(day: number, row: RollupMeasures) {
  const numbers = row as unknown as Record<string, number>;
  const histogram = (columns: readonly string[]) => columns.map((column) => Number(numbers[column] ?? 0));
  const good = row.requests - row.failures;
  const success = ratio(good * 100, row.requests);
  const firstBytes = histogram(ttftColumns).reduce((sum, count) => sum + count, 0);
  return {
    Day: dayText(day),
    RequestCount: row.requests,
    Quota: row.quota,
    PromptTokens: row.prompt_tokens,
    CompletionTokens: row.completion_tokens,
    CachedPromptTokens: row.cached_prompt_tokens,
    CacheHitCount: row.cache_hits,
    CacheHitQuota: row.cache_hit_quota,
    failures: row.failures,
    success_rate: success === null ? null : Math.round(success * 100) / 100,
    avg_latency_ms: rounded(ratio(row.elapsed_ms, good)),
    p95_latency_ms: percentile(histogram(latencyColumns), 0.95),
    ttft_ms: rounded(ratio(row.ttft_ms, firstBytes)),
  };
}

/** A short status of the account or accounts that the dashboard shows. */
export const statusOfUser = (status: number) => ["Unknown", "Active", "Disabled", "Deleted"][status] ?? "Unknown";
export function statusOfSite(active: number, all: number): string {
  if (active === 0) return "No Active Users";
  return active === all ? "All Active" : `${active}/${all} Active`;
}
