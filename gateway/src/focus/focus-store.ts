/** SQL of the FOCUS export: the calls of a day from the log, and what the roll-ups say that they cost. */
import { chargedLogTypes } from "@tollgate/contract/logs.ts";
import { type PricedUsage, pricedColumns } from "../money/explain-log.ts";
import type { Database } from "../storage/database.ts";
import type { LogRow } from "../storage/tables/call-tables.ts";
import { idFloor } from "../storage/time-ids.ts";

const dayMs = 86_400_000;
const pageSize = 1_000;

/** Null: the row is deleted. */
export type FocusLogRow = Pick<LogRow, "id" | "user_id" | "token_id" | "token_name" | "model_name" | "quota" | "tags"> &
  PricedUsage & {
    logged_username: string;
    username: string | null;
    user_uuid: string | null;
    token_uuid: string | null;
    channel_type: number | null;
  };

export interface CountedUser {
  user_id: number;
  quota: number;
  username: string | null;
  user_uuid: string | null;
}

export type FocusStore = ReturnType<typeof focusStore>;

export function focusStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    /** Oldest first; `after` is the last id of the page before, or 0. */
    callsOfDay: (day: number, userId: number | undefined, after: number): Promise<FocusLogRow[]> =>
      read(
        sql
          .selectFrom("logs")
          .leftJoin("users", "users.id", "logs.user_id")
          .leftJoin("tokens", "tokens.id", "logs.token_id")
          .leftJoin("channels", "channels.id", "logs.channel_id")
          .select(["logs.id", "logs.user_id", "logs.token_id", "logs.token_name", "logs.model_name", "logs.quota"])
          .select("logs.tags")
          .select(pricedColumns.map((column) => `logs.${column}` as const))
          .select([
            "logs.username as logged_username",
            "users.username as username",
            "users.uuid as user_uuid",
            "tokens.uuid as token_uuid",
            "channels.type as channel_type",
          ])
          .where("logs.type", "in", chargedLogTypes)
          .where("logs.id", ">", Math.max(after, idFloor(day * dayMs) - 1))
          .where("logs.id", "<", idFloor((day + 1) * dayMs))
          .$if(userId !== undefined, (rows) => rows.where("logs.user_id", "=", userId ?? 0))
          .orderBy("logs.id")
          .limit(pageSize),
      ),

    /** Units by user, of the calls of a day. */
    async countedQuota(day: number, userId: number | undefined): Promise<CountedUser[]> {
      const counted = await read(
        sql
          .selectFrom("rollup_day_user as used")
          .leftJoin("users", "users.id", "used.user_id")
          .where("used.day", "=", day)
          .$if(userId !== undefined, (rows) => rows.where("used.user_id", "=", userId ?? 0))
          .select(["used.user_id", "used.quota", "users.username as username", "users.uuid as user_uuid"])
          .orderBy("used.user_id"),
      );
      return counted.map((row) => ({ ...row, quota: Number(row.quota) }));
    },
  };
}
