/** Log rows and traces live in one partition a month, made ahead, so that old months can be dropped at once. */
import type pg from "pg";
import { idFloor } from "./ids.ts";

const monthsAhead = 2;

export async function ensurePartitions(pool: pg.Pool, now: number): Promise<void> {
  const today = new Date(now);
  for (let offset = 0; offset <= monthsAhead; offset += 1) {
    const from = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + offset, 1);
    const to = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + offset + 1, 1);
    const month = new Date(from).toISOString().slice(0, 7).replace("-", "");
    for (const table of ["logs", "traces"]) {
      // Several nodes may try at once; the lock makes "if not exists" mean it.
      await pool.query(
        `do $$ begin
           perform pg_advisory_xact_lock(7081202);
           if to_regclass('${table}_${month}') is null
              and not exists (select 1 from ${table}_other where id >= ${idFloor(from)} and id < ${idFloor(to)}) then
             create table ${table}_${month} partition of ${table} for values from (${idFloor(from)}) to (${idFloor(to)});
           end if;
         end $$`,
      );
    }
  }
}
