/**
 * SQL of the FOCUS export: the calls of a day from the log, and what the roll-ups say that they
 * cost.
 */

import { chargedLogTypes } from "@tollgate/contract/figures/logs.ts";
import { sql as raw } from "kysely";
import { type PricedUsage, pricedColumns } from "../../money/audit/explain-log.ts";
import type { Database } from "../../storage/database.ts";
import { isPaidBy, isWholeSite, type PayerScope } from "../../storage/payer-scope.ts";
import type { LogRow } from "../../storage/tables/call-tables.ts";
import { computeIdFloor } from "../../storage/time-ids.ts";
import { isTeamPayer, selectTeamDays, type TeamPayer, teamSums } from "../dashboard/team-days.ts";

const dayMs = 86_400_000;
const pageSize = 1_000;

/** Null: the row is deleted. */
export type FocusLogRow = Pick<
  LogRow,
  "id" | "user_id" | "token_id" | "token_name" | "model_name" | "quota" | "tags"
> &
  PricedUsage & {
    logged_username: string;
    username: string | null;
    user_uuid: string | null;
    team_name: string | null;
    team_uuid: string | null;
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
  /** The calls of a team are nobody's, as the rows of the log have them here. */
  const countedOfTeam = async (day: number, payer: TeamPayer): Promise<CountedUser[]> => {
    const [row] = await read(
      selectTeamDays({ sql }, payer, { first: day, last: day })
        .innerJoin("teams", "teams.id", "used.team_id")
        .select(["teams.name as username", "teams.uuid as user_uuid"])
        .select(teamSums)
        .groupBy(["teams.name", "teams.uuid"]),
    );
    return row
      ? [{ user_id: 0, quota: row.quota, username: row.username, user_uuid: row.user_uuid }]
      : [];
  };
  return {
    /** Oldest first; `after` is the last id of the page before, or 0. */
    callsOfDay: (day: number, payer: PayerScope, after: number): Promise<FocusLogRow[]> =>
      read(
        sql
          .selectFrom("logs")
          // The calls of a team are the team's, as the roll-ups count them.
          .leftJoin("users", (join) =>
            join.onRef("users.id", "=", "logs.user_id").on("logs.team_id", "is", null),
          )
          .leftJoin("teams", "teams.id", "logs.team_id")
          .leftJoin("tokens", "tokens.id", "logs.token_id")
          .leftJoin("channels", "channels.id", "logs.channel_id")
          .select(
            raw<number>`case when logs.team_id is null then logs.user_id else 0 end`.as("user_id"),
          )
          .select(["logs.id", "logs.token_id", "logs.token_name", "logs.model_name", "logs.quota"])
          .select("logs.tags")
          .select(pricedColumns.map((column) => `logs.${column}` as const))
          .select([
            "logs.username as logged_username",
            "users.username as username",
            "users.uuid as user_uuid",
            "teams.name as team_name",
            "teams.uuid as team_uuid",
            "tokens.uuid as token_uuid",
            "channels.type as channel_type",
          ])
          .where("logs.type", "in", chargedLogTypes)
          .where("logs.id", ">", Math.max(after, computeIdFloor(day * dayMs) - 1))
          .where("logs.id", "<", computeIdFloor((day + 1) * dayMs))
          .$if(!isWholeSite(payer), (rows) => rows.where(isPaidBy(payer, "logs")))
          .orderBy("logs.id")
          .limit(pageSize),
      ),

    /** Units by user, of the calls of a day. */
    async countedQuota(day: number, payer: PayerScope): Promise<CountedUser[]> {
      if (isTeamPayer(payer)) return countedOfTeam(day, payer);
      const { userId } = payer;
      const counted = await read(
        sql
          .selectFrom("rollup_day_user as used")
          .leftJoin("users", "users.id", "used.user_id")
          .where("used.day", "=", day)
          .$if(userId !== undefined, (rows) => rows.where("used.user_id", "=", userId ?? 0))
          .select([
            "used.user_id",
            "used.quota",
            "users.username as username",
            "users.uuid as user_uuid",
          ])
          .orderBy("used.user_id"),
      );
      return counted.map((row) => ({ ...row, quota: Number(row.quota) }));
    },
  };
}
