/** The token that a registered account starts with, so that the first call needs nothing but its key. */
import { inheritedBudgets } from "../money/inherited-budgets.ts";
import type { Sealer } from "../secrets/seal.ts";
import type { Database, Write } from "../storage/database.ts";
import { uuid7 } from "../storage/time-ids.ts";
import { issueKey } from "./issue-key.ts";
import { initialColumns } from "./token-rules.ts";

const defaultInput = { name: "default", remain_quota: 0, unlimited_quota: true, expired_time: -1 };

/** The user may be created by the same batch. */
export function defaultToken(
  db: Pick<Database, "sql" | "dialect">,
  seal: Sealer,
  userUuid: string,
  now: number,
): Write[] {
  const { sql } = db;
  const uuid = uuid7(now);
  const row = {
    uuid,
    user_id: sql.selectFrom("users").select("id").where("uuid", "=", userUuid),
    ...initialColumns(defaultInput, ""),
    ...issueKey(seal, uuid),
    created_at: now,
    updated_at: now,
    accessed_at: now,
  };
  return [{ query: sql.insertInto("tokens").values(row), rows: 1 }, ...inheritedBudgets(db, "token", [row])];
}
