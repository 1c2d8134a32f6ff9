/** Adds a generated log up into the roll-ups: in the database, by the same sums as a gateway's. */
import { consume } from "@tollgate/gateway/figures/logs/log-filter.ts";
import {
  computeDay,
  countedColumns,
  histogramBoundsMs,
  measureColumns,
  rollupTables,
} from "@tollgate/gateway/storage/rollups.ts";
import { computeIdFloor, EPOCH_MS, idsPerMs } from "@tollgate/gateway/storage/time-ids.ts";

const dayMs = 86_400_000;

/** The roll-ups that follow from another one, which has fewer rows than the log. */
const finerTables: Readonly<Record<string, string>> = {
  rollup_day_model: "rollup_hour_model",
  rollup_day_user: "rollup_day_user_model",
};

/**
 * `rollupStatements` gives one day after the other, because a database sorts or hashes a day's rows
 * in memory.
 */
export const rollupStatements = (now: number, days: number): string[] =>
  Array.from({ length: days + 1 }, (_, ago) => {
    const day = computeDay(now) - ago;
    const ofLog = rollupTables.filter(({ table }) => !(table in finerTables));
    const ofOther = rollupTables.filter(({ table }) => table in finerTables);
    return [...ofLog, ...ofOther].map(({ table, keys }) => rollup(table, keys, day)).join(";\n");
  });

function rollup(table: string, [step, ...keys]: readonly string[], day: number): string {
  const finer = finerTables[table];
  const source = finer?.startsWith("rollup_hour")
    ? `${finer} where hour >= ${day * 24} and hour < ${(day + 1) * 24}`
    : finer
      ? `${finer} where day = ${day}`
      : `logs where type = ${consume} and id >= ${computeIdFloor(day * dayMs)} and id < ${computeIdFloor((day + 1) * dayMs)}`;
  const sums = finer ? measureColumns.map((column) => `sum(${column})`) : callSums();
  const hour = `((id / ${idsPerMs} + ${EPOCH_MS}) / 3600000)`;
  const grouped = [...(step === "hour" ? [hour] : []), ...keys].join(", ");
  const first = step === "hour" ? hour : String(day);
  return `insert into ${table} (${[step, ...keys, ...measureColumns].join(", ")})
    select ${[first, ...keys, ...sums].join(", ")} from ${source} group by ${grouped}`;
}

/** `callSums` does the same sums as `countCall`, in SQL of both databases. */
function callSums(): string[] {
  const good = "outcome <> 'failed'";
  const amounts: Record<(typeof countedColumns)[number], string> = {
    requests: "1",
    failures: `case when ${good} then 0 else 1 end`,
    quota: "quota",
    prompt_tokens: "prompt_tokens",
    completion_tokens: "completion_tokens",
    cached_prompt_tokens: "0",
    cache_write_tokens: "0",
    cache_hits: "0",
    cache_hit_quota: "0",
    elapsed_ms: `case when ${good} then elapsed_ms else 0 end`,
    ttft_ms: "ttft_ms",
  };
  const bounds = [0, ...histogramBoundsMs];
  const inBucket = (column: string, condition: string): string[] =>
    bounds.map((bound, index) => {
      const below = bounds[index + 1];
      const inside = `${column} >= ${bound}${below === undefined ? "" : ` and ${column} < ${below}`}`;
      return `case when ${condition} and ${inside} then 1 else 0 end`;
    });
  return [
    ...countedColumns.map((column) => amounts[column]),
    ...inBucket("elapsed_ms", good),
    ...inBucket("ttft_ms", "ttft_ms > 0"),
  ].map((amount) => `sum(${amount})`);
}
