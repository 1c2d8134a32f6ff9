import type { AuditSubject } from "@tollgate/contract/site/audit-actions.ts";
import type { Database } from "../../storage/database.ts";
import type { DatabaseSchema } from "../../storage/schema.ts";

/**
 * The tables that hold the name of each subject by its uuid; null where it has none, or where the
 * action carries it.
 */
const tableOfSubject = {
  agent: null,
  alert: null,
  body: null,
  budget: "budgets",
  budget_template: "budget_templates",
  channel: "channels",
  cost_report: null,
  destination: "destinations",
  external: null,
  import: null,
  log: null,
  management_key: "management_keys",
  master_key: null,
  mcp_server: "mcp_servers",
  model_end: null,
  model_price: null,
  notice: null,
  oidc_provider: "oidc_providers",
  option: null,
  passkey: null,
  price_list: null,
  price_offer: null,
  quota_request: null,
  redemption: "redemptions",
  run: null,
  session: null,
  shadow: null,
  team: "teams",
  token: "tokens",
  totp: null,
  // Accounts have usernames, which are read for every entry: many actions are about a person.
  user: null,
  virtual_model: "virtual_models",
} as const satisfies Record<AuditSubject, keyof DatabaseSchema | null>;

const namedTables = Object.values(tableOfSubject).filter((table) => table !== null);

const uuids = /(?<=")[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=")/g;

/** `listMentioned` are the uuids of a change: of who invited, of the team a key moved to. */
export const listMentioned = (change: string): string[] => change.match(uuids) ?? [];

/**
 * The current names of the entities that the entries are about, and of those that their changes
 * mention, by uuid.
 */
export async function changeNames(
  { sql, read }: Database,
  entries: readonly { target: string; change: string }[],
): Promise<Map<string, string>> {
  const targets = [
    ...new Set(entries.flatMap(({ target, change }) => [target, ...listMentioned(change)])),
  ];
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
