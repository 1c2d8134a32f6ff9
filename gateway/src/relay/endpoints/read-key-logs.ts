import { roles } from "@tollgate/contract/accounts/roles.ts";
import { chargedLogTypes, type Log, logTypes } from "@tollgate/contract/figures/logs.ts";
import { readReferences, viewLog } from "../../figures/logs/log-view.ts";
import type { Database } from "../../storage/database.ts";
import type { CallerIdentity } from "../admission/caller-parts.ts";

/** The newest calls of a key, or the one with this id. */
export type ReadKeyLogs = (caller: CallerIdentity, id?: number) => Promise<Log[]>;

const logsMax = 100;
/**
 * No index leads from a key to its calls: among this many calls of its owner they are looked for.
 */
const ownersLogsMax = 5_000;

export const buildKeyLogReader =
  ({ sql, read }: Pick<Database, "sql" | "read">): ReadKeyLogs =>
  async ({ userId, tokenId }, id) => {
    const ownersLogs = sql
      .selectFrom("logs")
      .where("user_id", "=", userId)
      .$if(id !== undefined, (query) => query.where("id", "=", id ?? 0))
      .selectAll()
      .orderBy("id", "desc")
      .limit(ownersLogsMax)
      .as("newest");
    const rows = await read(
      sql
        .selectFrom(ownersLogs)
        .selectAll()
        .where("token_id", "=", tokenId)
        .where("type", "in", [...chargedLogTypes, logTypes.refused])
        .orderBy("id", "desc")
        .limit(logsMax),
    );
    const references = await readReferences({ sql, read }, rows);
    // A key is no sign-in: its holder sees what a user without a role sees.
    return rows.map((row) => viewLog(row, references, roles.user));
  };
