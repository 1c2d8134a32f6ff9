/** SQL on teams for configuration documents: all of them in a few reads. */
import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import { teamStatus } from "@tollgate/contract/accounts/teams.ts";
import type { Selectable } from "kysely";
import type { BudgetRow } from "../../accounts/budgets/budget-store.ts";
import type { TemplateTerms } from "../../accounts/budgets/budget-template-store.ts";
import type { Database, Write } from "../../storage/database.ts";
import type { TeamMembersTable, TeamsTable } from "../../storage/tables/team-tables.ts";

/** `StoredTeam` comes with its wallet, which says whether it may go. */
export type StoredTeam = Selectable<TeamsTable> & Record<"balance" | "held" | "debt", number>;

export interface NamedAccount {
  id: number;
  username: string;
  external_id: string | null;
}
export type StoredMember = Pick<
  Selectable<TeamMembersTable>,
  "id" | "team_id" | "user_id" | "role" | "by_provider"
> &
  Pick<NamedAccount, "username" | "external_id">;

/** `TeamParts` are what teams have besides their own columns, by the id of the team. */
export interface TeamParts {
  members: ReadonlyMap<number, StoredMember[]>;
  /** `caps` give each member a budget. */
  caps: ReadonlyMap<number, TemplateTerms[]>;
  budgets: ReadonlyMap<number, BudgetRow[]>;
}

/** Far below the number of values that a statement may have on either database. */
const namesPerRead = 500;

export type ConfiguredTeamStore = ReturnType<typeof createConfiguredTeamStore>;

export function createConfiguredTeamStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const livingIds = () =>
    sql.selectFrom("teams").select("teams.id").where("teams.status", "<>", teamStatus.deleted);
  const findBy = async (
    column: "username" | "external_id",
    names: readonly string[],
  ): Promise<NamedAccount[]> => {
    const found: NamedAccount[] = [];
    for (let start = 0; start < names.length; start += namesPerRead)
      found.push(
        ...(await read(
          sql
            .selectFrom("users")
            .select(["id", "username", "external_id"])
            .where("status", "<>", userStatus.deleted)
            .where(column, "in", names.slice(start, start + namesPerRead)),
        )),
      );
    return found;
  };

  return {
    all: (): Promise<StoredTeam[]> =>
      read(
        sql
          .selectFrom("teams")
          .innerJoin("wallets", "wallets.id", "teams.wallet_id")
          .where("teams.status", "<>", teamStatus.deleted)
          .selectAll("teams")
          .select(["wallets.balance", "wallets.held", "wallets.debt"])
          .orderBy("teams.id"),
      ),

    async parts(): Promise<TeamParts> {
      const members = read<StoredMember>(
        sql
          .selectFrom("team_members")
          .innerJoin("users", "users.id", "team_members.user_id")
          .where("team_members.left_at", "is", null)
          .where("team_members.team_id", "in", livingIds())
          .where("users.status", "<>", userStatus.deleted)
          .select(["team_members.id", "team_members.team_id", "team_members.user_id"])
          .select(["team_members.role", "team_members.by_provider"])
          .select(["users.username", "users.external_id"])
          .orderBy("team_members.id"),
      );
      const caps = read(
        sql
          .selectFrom("budget_templates")
          .selectAll()
          .where("team_id", "in", livingIds())
          .orderBy("id"),
      );
      const budgets = read(
        sql
          .selectFrom("budgets")
          .selectAll()
          .where("subject", "=", "team")
          .where("subject_id", "in", livingIds())
          .orderBy("id"),
      );
      return {
        members: Map.groupBy(await members, ({ team_id }) => team_id),
        caps: Map.groupBy(await caps, ({ team_id }) => team_id),
        budgets: Map.groupBy(await budgets, ({ subject_id }) => subject_id),
      };
    },

    byUsername: (names: readonly string[]) => findBy("username", names),
    byExternalId: (ids: readonly string[]) => findBy("external_id", ids),

    /** Misses where the wallet has anything: what is deleted by a file takes no money with it. */
    requireEmpty: (walletId: number): Write => ({
      query: sql
        .updateTable("wallets")
        .set(({ ref }) => ({ held: ref("held") }))
        .where("id", "=", walletId)
        .where("balance", "=", 0)
        .where("debt", "=", 0)
        .where("held", "=", 0),
      rows: 1,
      missed: "changed_meanwhile",
    }),
  };
}
