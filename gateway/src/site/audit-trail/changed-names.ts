import type { Database } from "../../storage/database.ts";

const namedTables = [
  "tokens",
  "channels",
  "redemptions",
  "management_keys",
  "budgets",
  "budget_templates",
  "teams",
  "destinations",
  "virtual_models",
  "mcp_servers",
  "oidc_providers",
] as const;

/** The current names of the entities that the entries are about, by uuid. */
export async function changeNames(
  { sql, read }: Database,
  entries: readonly { target: string }[],
): Promise<Map<string, string>> {
  const targets = [...new Set(entries.map(({ target }) => target))];
  if (targets.length === 0) return new Map();
  const users = sql
    .selectFrom("users")
    .select(["uuid", "username as name"])
    .where("uuid", "in", targets);
  const named = namedTables.map((table) =>
    sql.selectFrom(table).select(["uuid", "name"]).where("uuid", "in", targets),
  );
  const rows = await read(named.reduce((all, ofTable) => all.unionAll(ofTable), users));
  return new Map(rows.map(({ uuid, name }) => [uuid, name]));
}
