/**
 * Log rows and traces are partitioned by month, created ahead, so that old months can be dropped at
 * once.
 */
import type pg from "pg";
import { computeIdFloor } from "./time-ids.ts";

const monthsAhead = 2;
/**
 * A drop waits for running statements and blocks all later ones, so it gives up soon; the rows are
 * then deleted one by one.
 */
const dropWaitMs = 1_000;

export async function ensurePartitions(pool: pg.Pool, now: number): Promise<void> {
  const today = new Date(now);
  for (let offset = 0; offset <= monthsAhead; offset += 1) {
    const month = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + offset, 1);
    for (const statement of listMonthPartitions(month)) await pool.query(statement);
  }
}

/**
 * Statements that create the partitions of the month that begins at `from` (UTC), where its rows
 * are not elsewhere yet.
 */
export function listMonthPartitions(from: number): string[] {
  const start = new Date(from);
  const to = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1);
  const month = start.toISOString().slice(0, 7).replace("-", "");
  // Several nodes may create it at once; the lock makes the check for existence reliable.
  return ["logs", "traces"].map(
    (table) => `do $$ begin
       perform pg_advisory_xact_lock(7081202);
       if to_regclass('${table}_${month}') is null
          and not exists (select 1 from ${table}_other where id >= ${computeIdFloor(from)} and id < ${computeIdFloor(to)}) then
         create table ${table}_${month} partition of ${table} for values from (${computeIdFloor(from)}) to (${computeIdFloor(to)});
       end if;
     end $$`,
  );
}

/**
 * Drops the months that end before an id. A partition in use stays, and its rows are deleted one by
 * one.
 */
export async function dropPartitions(
  pool: pg.Pool,
  table: "logs" | "traces",
  before: number,
): Promise<{ rows: number; quota: number }> {
  const dropped = { rows: 0, quota: 0 };
  const { rows: partitions } = await pool.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass",
    [table],
  );
  for (const { name } of partitions) {
    const [, year, month] = /_(\d{4})(\d\d)$/.exec(name) ?? [];
    // Date.UTC counts months from 0, so this is the first of the next one.
    if (year === undefined || computeIdFloor(Date.UTC(Number(year), Number(month), 1)) > before)
      continue;
    const { rows, quota } = await dropPartition(pool, name, table);
    dropped.rows += rows;
    dropped.quota += quota;
  }
  return dropped;
}

const lockNotAvailable = "55P03";

async function dropPartition(pool: pg.Pool, name: string, table: "logs" | "traces") {
  const charged = table === "logs" ? "coalesce(sum(quota) filter (where type in (2, 7)), 0)" : "0";
  const client = await pool.connect();
  try {
    await client.query(`begin; set local lock_timeout = ${dropWaitMs}`);
    const { rows } = await client.query<{ rows: number; quota: number }>(
      `select count(*) as rows, ${charged} as quota from ${name}`,
    );
    await client.query(`drop table ${name}`);
    await client.query("commit");
    return rows[0] ?? { rows: 0, quota: 0 };
  } catch (error) {
    await client.query("rollback");
    if ((error as { code?: string }).code !== lockNotAvailable) throw error;
    return { rows: 0, quota: 0 };
  } finally {
    client.release();
  }
}
