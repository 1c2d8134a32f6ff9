/** How many rows of a kind a user may have, decided by the batch that adds one. */
import type { SelectQueryBuilder } from "kysely";
import type { Database, Write } from "./database.ts";
import type { DatabaseSchema } from "./schema.ts";

/**
 * Goes before the insert, and misses where `counted`, the user's rows of the kind, is `max` or more. The first statement locks the user
 * until the batch ends, so that the second counts what a concurrent batch has committed.
 */
export function fewerRowsOf<Table extends keyof DatabaseSchema>(
  { sql }: Pick<Database, "sql">,
  userId: number,
  counted: SelectQueryBuilder<DatabaseSchema, Table, { count: number }>,
  { max, missed }: { max: number; missed?: Write["missed"] },
): Write[] {
  const locked = sql
    .updateTable("users")
    .set(({ ref }) => ({ status: ref("status") }))
    .where("id", "=", userId);
  return [{ query: locked }, { query: locked.where(counted, "<", max), rows: 1, ...(missed && { missed }) }];
}
