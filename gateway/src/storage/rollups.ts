/**
 * The narrow roll-ups that dashboards and totals read instead of the log: what is counted, by which
 * keys, and how one call adds to them. SQLite writes them in the settle transaction; PostgreSQL
 * folds them in from a queue each second. Migrations repeat all of this as text: a change here
 * needs a new migration.
 */

/** Upper bounds (exclusive) of the latency buckets; the last bucket is open. */
export const histogramBoundsMs = [
  100, 250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000, 120_000,
] as const;
export const histogramBuckets = histogramBoundsMs.length + 1;

export const countedColumns = [
  "requests",
  "failures",
  "quota",
  "prompt_tokens",
  "completion_tokens",
  "cached_prompt_tokens",
  "cache_write_tokens",
  "cache_hits",
  "cache_hit_quota",
  "elapsed_ms",
  "ttft_ms",
] as const;

const bucketIndexes = Array.from({ length: histogramBuckets }, (_, index) => index);
export const latencyColumns = bucketIndexes.map((index) => `latency_${index}` as const);
export const ttftColumns = bucketIndexes.map((index) => `ttft_${index}` as const);
export const measureColumns = [...countedColumns, ...latencyColumns, ...ttftColumns];

export const rollupTables = [
  { table: "rollup_day_model", keys: ["day", "model_name"] },
  { table: "rollup_day_user_model", keys: ["day", "user_id", "model_name"] },
  { table: "rollup_day_token", keys: ["day", "token_id"] },
  { table: "rollup_hour_model", keys: ["hour", "model_name"] },
  { table: "rollup_hour_channel", keys: ["hour", "channel_id"] },
  { table: "rollup_day_user", keys: ["day", "user_id"] },
] as const;

/** `rollupFolds` are PostgreSQL's queues, each with the function that moves it into its roll-up. */
export const rollupFolds = {
  rollup_queue: "tollgate_fold_rollups",
  rollup_tag_queue: "tollgate_fold_tags",
  rollup_cost_queue: "tollgate_fold_costs",
  rollup_team_queue: "tollgate_fold_teams",
  rollup_mark_queue: "tollgate_fold_marks",
  run_queue: "tollgate_fold_runs",
} as const;
export const callRollupFolds = Object.values(rollupFolds).map((fold) => `${fold}()`);

/**
 * A percentile from a histogram, by linear interpolation within its bucket. The last bucket has no
 * upper bound, so its lower bound is returned.
 */
export function findPercentile(counts: readonly number[], share: number): number | null {
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

const hourMs = 3_600_000;
export const computeHour = (ms: number): number => Math.floor(ms / hourMs);
/** UTC days since 1970. */
export const computeDay = (ms: number): number => Math.floor(ms / (24 * hourMs));

export function computeBucket(ms: number): number {
  const index = histogramBoundsMs.findIndex((bound) => ms < bound);
  return index < 0 ? histogramBounds : index;
}
const histogramBounds = histogramBoundsMs.length;

/** Failures towards the client. A client that left or ran out of quota does not count as one. */
export const failedOutcomes: readonly string[] = ["failed", "cut", "interrupted"];

/** `CountedCall` is what a finished call adds to the roll-ups. */
export interface CountedCall {
  failed: boolean;
  quota: number;
  prompt: number;
  completion: number;
  cached: number;
  written: number;
  /** Null for a call whose time says nothing of the channel's. */
  elapsedMs: number | null;
  ttftMs: number;
}

const firstLatency = countedColumns.length;
const firstTtft = firstLatency + histogramBuckets;

/** Adds a call to the sums, one number per measure column in their order; null starts new sums. */
export function countCall(sums: number[] | null, call: CountedCall): number[] {
  const target = sums ?? new Array<number>(measureColumns.length).fill(0);
  const add = (index: number, value: number): void => {
    target[index] = (target[index] ?? 0) + value;
  };
  add(0, 1);
  add(1, call.failed ? 1 : 0);
  add(2, call.quota);
  add(3, call.prompt);
  add(4, call.completion);
  add(5, call.cached);
  add(6, call.written);
  add(7, call.cached > 0 ? 1 : 0);
  add(8, call.cached > 0 ? call.quota : 0);
  const elapsedMs = call.failed ? null : call.elapsedMs;
  add(9, elapsedMs ?? 0);
  add(10, call.ttftMs);
  if (elapsedMs !== null) add(firstLatency + computeBucket(elapsedMs), 1);
  if (call.ttftMs > 0) add(firstTtft + computeBucket(call.ttftMs), 1);
  return target;
}

/** `RollupSubject` is what a call is counted under. */
export interface RollupSubject {
  /** Hours since 1970. */
  hour: number;
  userId: number;
  tokenId: number;
  channelId: number;
  model: string;
}

/** The key values under which calls count in each of `rollupTables`. */
export function listRollupKeys({
  hour,
  userId,
  tokenId,
  channelId,
  model,
}: RollupSubject): (string | number)[][] {
  const day = Math.floor(hour / 24);
  return [
    [day, model],
    [day, userId, model],
    [day, tokenId],
    [hour, model],
    [hour, channelId],
    [day, userId],
  ];
}
