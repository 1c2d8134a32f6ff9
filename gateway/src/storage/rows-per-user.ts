/**
 * The number of rows of a kind that a user, or a team for its services, may have, decided by the
 * batch that adds one.
 */
import type { SelectQueryBuilder } from "kysely";
import type { Database, Write } from "./database.ts";
import type { DatabaseSchema } from "./schema.ts";

/**
 * `RowHolder` says whose rows are counted. The services of a team are no account, so the row of the
 * team is locked in place of one.
 */
export type RowHolder = number | { teamId: number };

/**
 * Goes before the insert, and misses where `counted`, the holder's rows of the kind, is `max` or
 * more. The first statement locks the holder until the batch ends, so that the second counts what a
 * concurrent batch has committed.
 */
export function planFewerRows<Table extends keyof DatabaseSchema>(
  { sql }: Pick<Database, "sql">,
  holder: RowHolder,
  counted: SelectQueryBuilder<DatabaseSchema, Table, { count: number }>,
  { max, missed }: { max: number; missed?: Write["missed"] },
): Write[] {
  const [table, id] =
    typeof holder === "number" ? (["users", holder] as const) : (["teams", holder.teamId] as const);
  const locked = sql
    .updateTable(table)
    .set(({ ref }) => ({ status: ref("status") }))
    .where("id", "=", id);
  return [
    { query: locked },
    { query: locked.where(counted, "<", max), rows: 1, ...(missed && { missed }) },
  ];
}
