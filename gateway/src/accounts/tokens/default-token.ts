/**
 * The token that a registered account starts with, so that the first call needs nothing but its
 * key.
 */
import { planInheritedBudgets } from "../../money/holds/inherited-budgets.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { Database, Write } from "../../storage/database.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import { issueKey } from "./issue-key.ts";
import { buildInitialColumns } from "./token-rules.ts";

const defaultInput = { name: "default", remain_quota: 0, unlimited_quota: true, expired_time: -1 };

/** The user may be created by the same batch. */
export function planDefaultToken(
  db: Pick<Database, "sql" | "dialect">,
  seal: Sealer,
  userUuid: string,
  now: number,
): Write[] {
  const { sql } = db;
  const uuid = readUuid7(now);
  const row = {
    uuid,
    user_id: sql.selectFrom("users").select("id").where("uuid", "=", userUuid),
    ...buildInitialColumns(defaultInput, ""),
    ...issueKey(seal, uuid),
    created_at: now,
    updated_at: now,
    accessed_at: now,
  };
  return [
    { query: sql.insertInto("tokens").values(row), rows: 1 },
    ...planInheritedBudgets(db, "token", [row]),
  ];
}
