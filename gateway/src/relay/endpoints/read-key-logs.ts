import { chargedLogTypes, type Log, logTypes } from "@tollgate/contract/logs.ts";
import { roles } from "@tollgate/contract/roles.ts";
import { uuidsOf, viewLog } from "../../logs/log-view.ts";
import type { Database } from "../../storage/database.ts";
import type { RelayCaller } from "../admission/api-keys.ts";

/** The newest calls of a key. */
export type ReadKeyLogs = (caller: RelayCaller) => Promise<Log[]>;

const logsMax = 100;
/** No index leads from a key to its calls: among this many calls of its owner they are looked for. */
const ownersLogsMax = 5_000;

export const keyLogReader =
  ({ sql, read }: Pick<Database, "sql" | "read">): ReadKeyLogs =>
  async ({ userId, tokenId }) => {
    const ownersLogs = sql
      .selectFrom("logs")
      .where("user_id", "=", userId)
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
    const uuids = await uuidsOf({ sql, read }, rows);
    // A key is no sign-in: its holder sees what a user without a role sees.
    return rows.map((row) => viewLog(row, uuids, roles.user));
  };
