/** SQL on the memberships that a sign-in provider gives. */
import type { TeamRole } from "@tollgate/contract/accounts/teams.ts";
import { teamStatus } from "@tollgate/contract/accounts/teams.ts";
import { sql as raw } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import type { BudgetColumns, BudgetRow } from "../budgets/budget-store.ts";
import type { HeldMembership } from "./provider-membership-rules.ts";

export type PersonMembership = HeldMembership & {
  id: number;
  user_id: number;
  role: TeamRole;
  name: string;
};
interface LivingTeam {
  id: number;
  uuid: string;
  name: string;
}

export type ProviderMembershipStore = ReturnType<typeof createProviderMembershipStore>;

export function createProviderMembershipStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const membershipOf = (teamId: number, userId: number) =>
    sql
      .selectFrom("team_members")
      .select("id")
      .where("team_id", "=", teamId)
      .where("user_id", "=", userId);

  return {
    /** `ofUser` gives those in living teams, also those that ended. */
    ofUser: (userId: number): Promise<PersonMembership[]> =>
      read(
        sql
          .selectFrom("team_members")
          .innerJoin("teams", "teams.id", "team_members.team_id")
          .where("team_members.user_id", "=", userId)
          .where("teams.status", "<>", teamStatus.deleted)
          .select(["team_members.id", "team_id", "user_id", "role", "by_provider", "left_at"])
          .select(["teams.uuid as team", "teams.name"]),
      ),

    /** `teamsOf` gives the living teams of these uuids by the order of their ids. */
    teamsOf: async (uuids: readonly string[]): Promise<LivingTeam[]> =>
      uuids.length === 0
        ? []
        : read(
            sql
              .selectFrom("teams")
              .select(["id", "uuid", "name"])
              .where("uuid", "in", uuids)
              .where("status", "<>", teamStatus.deleted)
              .orderBy("id"),
          ),

    /** `budgetsOf` gives what the rules of the provider gave a person in teams. */
    budgetsOf: (provider: string, userId: number): Promise<(BudgetRow & { team_id: number })[]> =>
      read(
        sql
          .selectFrom("budgets")
          .innerJoin("team_members", "team_members.id", "budgets.subject_id")
          .where("budgets.subject", "=", "member")
          .where("budgets.by_provider", "=", provider)
          .where("team_members.user_id", "=", userId)
          .selectAll("budgets")
          .select("team_members.team_id"),
      ),

    /**
     * `insertBudget` follows a statement that locks the team, so that of two sign-ins at the same
     * moment one gives the budget. It comes beside the budgets that a member may have.
     */
    insertBudget(
      row: BudgetColumns & { by_provider: string },
      teamId: number,
      userId: number,
    ): Write {
      const subject_id = membershipOf(teamId, userId);
      const columns = { ...row, subject_id: raw<number>`${subject_id}` };
      const names = Object.keys(columns) as (keyof typeof columns)[];
      const values = names.map((column) => raw`${columns[column]}`.as(column));
      const given = sql
        .selectFrom("budgets")
        .select("id")
        .where("subject", "=", "member")
        .where("subject_id", "=", subject_id)
        .where("by_provider", "=", row.by_provider);
      return {
        query: sql
          .insertInto("budgets")
          .columns(names)
          .expression(sql.selectNoFrom(values).where(({ not, exists }) => not(exists(given)))),
      };
    },
  };
}
