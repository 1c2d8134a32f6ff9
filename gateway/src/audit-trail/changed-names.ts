import type { Database } from "../storage/database.ts";

/** The current names of the entities that the entries are about, by uuid. */
export async function changedNames(
  { sql, read }: Database,
  entries: readonly { target: string }[],
): Promise<Map<string, string>> {
  const targets = [...new Set(entries.map(({ target }) => target))];
  if (targets.length === 0) return new Map();
  const named = (table: "tokens" | "channels" | "redemptions" | "management_keys") =>
    sql.selectFrom(table).select(["uuid", "name"]).where("uuid", "in", targets);
  const rows = await read(
    sql
      .selectFrom("users")
      .select(["uuid", "username as name"])
      .where("uuid", "in", targets)
      .unionAll(named("tokens"))
      .unionAll(named("channels"))
      .unionAll(named("redemptions"))
      .unionAll(named("management_keys")),
  );
  return new Map(rows.map(({ uuid, name }) => [uuid, name]));
}
