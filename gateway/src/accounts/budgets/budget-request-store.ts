/** SQL on requests for more of a budget. */
import type { BudgetRequestStatus } from "@tollgate/contract/accounts/budget-grants.ts";
import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import type { Selectable } from "kysely";
import type { Principal } from "../../http/request-context.ts";
import type { TimeWindow } from "../../money/holds/budget-windows.ts";
import type { Database, Write } from "../../storage/database.ts";
import { isPresentRequest } from "../../storage/present-requests.ts";
import type { BudgetRequestRow } from "../../storage/tables/budget-tables.ts";
import type { NamedBudgetRow } from "./budget-store.ts";
import { joinBudgetNames, selectBudgetNames } from "./named-budgets.ts";

/** `requestsMax` are shown at once; those that wait longest first. */
const requestsMax = 500;
/** `mailedMax` admins of a team are mailed what a member asks for. */
const mailedMax = 20;

type RequestRow = Selectable<BudgetRequestRow>;

/** `AskedBudget` is a budget with what one person asks of it. */
export interface AskedBudget {
  request: RequestRow;
  budget: NamedBudgetRow;
  asker: { id: number; username: string; role: number; email: string; language: string };
  /** The team of a member's budget, or the team whose it is; 0 for others. */
  teamId: number;
}

export type BudgetRequestStore = ReturnType<typeof createBudgetRequestStore>;

export function createBudgetRequestStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const adminTeams = (userId: number) =>
    sql
      .selectFrom("team_members as led")
      .select("led.team_id")
      .where("led.user_id", "=", userId)
      .where("led.role", "=", "admin")
      .where("led.left_at", "is", null);

  const asked = () =>
    selectBudgetNames(joinBudgetNames(sql))
      .innerJoin("budget_requests", "budget_requests.budget_id", "budgets.id")
      .innerJoin("users as askers", "askers.id", "budget_requests.user_id")
      .where("askers.status", "=", userStatus.enabled)
      // Who left a team asks nothing of it any more.
      .where("team_members.left_at", "is", null)
      .select([
        "budget_requests.id as request_id",
        "budget_requests.user_id",
        "budget_requests.window_start",
        "budget_requests.window_end",
        "budget_requests.amount as asked_amount",
        "budget_requests.reason",
        "budget_requests.status",
        "budget_requests.granted",
        "budget_requests.created_at as asked_at",
        "askers.username as asker",
        "askers.role as asker_role",
        "askers.email as asker_email",
        "askers.language as asker_language",
        "teams.id as team_id",
      ]);

  const present = (row: Awaited<ReturnType<typeof readAsked>>[number]): AskedBudget => ({
    budget: row,
    request: {
      ...{ id: row.request_id, budget_id: row.id, user_id: row.user_id, reason: row.reason },
      ...{ window_start: row.window_start, window_end: row.window_end, status: row.status },
      ...{ amount: row.asked_amount, granted: row.granted, created_at: row.asked_at },
    },
    asker: {
      ...{ id: row.user_id, username: row.asker ?? "", role: row.asker_role ?? roles.root },
      ...{ email: row.asker_email ?? "", language: row.asker_language ?? "" },
    },
    teamId: row.team_id ?? 0,
  });
  const readAsked = (found: ReturnType<typeof asked>) => read(found);

  return {
    /**
     * `visible` gives the own requests of present windows, and those that wait where the caller
     * leads the team, or is an administrator of the site.
     */
    async visible({ id, role }: Principal, now: number): Promise<AskedBudget[]> {
      const found = asked()
        .where(isPresentRequest(now))
        .where(({ or, and, eb }) => {
          const waits = eb("budget_requests.status", "=", "waiting");
          const led = and([
            eb("budgets.subject", "=", "member"),
            eb("team_members.team_id", "in", adminTeams(id)),
          ]);
          return or([
            eb("budget_requests.user_id", "=", id),
            role >= roles.admin ? waits : and([waits, led]),
          ]);
        })
        .orderBy("budget_requests.created_at")
        .orderBy("budget_requests.id")
        .limit(requestsMax);
      return (await readAsked(found)).map(present);
    },

    async find(id: number): Promise<AskedBudget | undefined> {
      const [row] = await readAsked(asked().where("budget_requests.id", "=", id));
      return row && present(row);
    },

    async ofUser(budgetId: number, userId: number): Promise<AskedBudget | undefined> {
      const found = asked()
        .where("budget_requests.budget_id", "=", budgetId)
        .where("budget_requests.user_id", "=", userId);
      const [row] = await readAsked(found);
      return row && present(row);
    },

    /** `listLedTeams` gives the ids of the teams of which the user is an admin. */
    async listLedTeams(userId: number): Promise<ReadonlySet<number>> {
      return new Set((await read(adminTeams(userId))).map(({ team_id }) => team_id));
    },

    /** `listTeamAdmins` gives the admins of a team whom mail reaches, without one of them. */
    listTeamAdmins: (
      teamId: number,
      exceptId: number,
    ): Promise<{ email: string; language: string }[]> =>
      read(
        sql
          .selectFrom("team_members")
          .innerJoin("users", "users.id", "team_members.user_id")
          .select(["users.email", "users.language"])
          .where("team_members.team_id", "=", teamId)
          .where("team_members.role", "=", "admin")
          .where("team_members.left_at", "is", null)
          .where("users.id", "<>", exceptId)
          .where("users.status", "=", userStatus.enabled)
          .where("users.email", "<>", "")
          .limit(mailedMax),
      ),

    /** `put` replaces what the same person asked of the budget before. */
    put(
      row: Pick<RequestRow, "id" | "budget_id" | "user_id" | "amount" | "reason" | "created_at">,
      { start, end }: TimeWindow,
    ): Write {
      const asks = {
        ...{ window_start: start, window_end: end, amount: row.amount, reason: row.reason },
        ...{ status: "waiting" as const, granted: 0, created_at: row.created_at },
      };
      return {
        query: sql
          .insertInto("budget_requests")
          .values({ ...row, ...asks })
          .onConflict((conflict) => conflict.columns(["budget_id", "user_id"]).doUpdateSet(asks)),
        rows: 1,
      };
    },

    /** Misses where the request was decided or replaced meanwhile. */
    decide: (
      { id, created_at }: RequestRow,
      status: Exclude<BudgetRequestStatus, "waiting">,
      granted = 0,
    ): Write => ({
      query: sql
        .updateTable("budget_requests")
        .set({ status, granted })
        .where("id", "=", id)
        .where("created_at", "=", created_at)
        .where("status", "=", "waiting"),
      rows: 1,
      missed: "budget_request_not_found",
    }),
  };
}
