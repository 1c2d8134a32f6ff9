/** Budgets joined to the names of what they are about. */
import { tokenSubjects } from "@tollgate/contract/accounts/budget-kinds.ts";
import { sql as raw } from "kysely";
import type { Database } from "../../storage/database.ts";

type Sql = Database["sql"];

/** `joinBudgetNames` joins each budget to its user, token, team and channel, where it has one. */
export const joinBudgetNames = (sql: Sql) =>
  sql
    .selectFrom("budgets")
    .leftJoin("team_members", (join) =>
      join.onRef("team_members.id", "=", "budgets.subject_id").on("budgets.subject", "=", "member"),
    )
    .leftJoin("users", (join) =>
      join.on(
        raw<boolean>`users.id = case budgets.subject
          when 'user' then budgets.subject_id when 'member' then team_members.user_id end`,
      ),
    )
    .leftJoin("tokens", (join) =>
      join.onRef("tokens.id", "=", "budgets.subject_id").on("budgets.subject", "in", tokenSubjects),
    )
    .leftJoin("teams", (join) =>
      join.on(
        raw<boolean>`teams.id = case budgets.subject
          when 'team' then budgets.subject_id when 'team_run' then budgets.subject_id
          when 'member' then team_members.team_id end`,
      ),
    )
    .leftJoin("channels", (join) =>
      join.onRef("channels.id", "=", "budgets.subject_id").on("budgets.subject", "=", "channel"),
    );

/** `selectBudgetNames` gives the columns of a `NamedBudgetRow`. */
export const selectBudgetNames = (found: ReturnType<typeof joinBudgetNames>) =>
  found
    .selectAll("budgets")
    .select([
      "users.username",
      "tokens.name as token_name",
      "teams.name as team_name",
      "channels.name as channel_name",
    ])
    .select(["team_members.user_id as member_user_id", "team_members.left_at as member_left_at"])
    .select(
      raw<string>`case when team_members.left_at is null and team_members.by_provider = budgets.by_provider
        then budgets.by_provider else '' end`.as("ruled_by"),
    );

/** `joinBudgetsOfTeam` selects the budgets of a team and of those who are in it. */
export function joinBudgetsOfTeam(sql: Sql, teamId: number) {
  const present = sql
    .selectFrom("team_members")
    .where("team_id", "=", teamId)
    .where("left_at", "is", null);
  return joinBudgetNames(sql).where(({ or, and, eb }) =>
    or([
      and([eb("budgets.subject", "=", "team"), eb("budgets.subject_id", "=", teamId)]),
      and([
        eb("budgets.subject", "=", "member"),
        eb("budgets.subject_id", "in", present.select("id")),
      ]),
    ]),
  );
}
