/** Budgets whose subject is gone, and counters that nothing compares any more. */
import { tokenSubjects } from "@tollgate/contract/accounts/budget-kinds.ts";
import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import { teamStatus } from "@tollgate/contract/accounts/teams.ts";
import type { Database, Write } from "../../storage/database.ts";

/** A year's report can still be compared with them. */
const countersKeptMs = 400 * 86_400_000;

/** A run that its agent continues within this time goes on with what it has spent. */
const runsResumeMs = 30 * 86_400_000;

/** Run by the purge of expired rows. */
export const purgeBudgets = ({ sql }: Pick<Database, "sql">, now: number): Write[] => [
  {
    query: sql
      .deleteFrom("budget_requests")
      .where(({ or, eb }) =>
        or([
          eb("window_end", "<", now),
          eb("budget_id", "not in", sql.selectFrom("budgets").select("id")),
          eb(
            "user_id",
            "not in",
            sql.selectFrom("users").select("id").where("status", "<>", userStatus.deleted),
          ),
        ]),
      ),
  },
  {
    query: sql
      .deleteFrom("budgets")
      .where("subject", "in", tokenSubjects)
      .where("subject_id", "not in", sql.selectFrom("tokens").select("id")),
  },
  {
    query: sql
      .deleteFrom("budgets")
      .where("subject", "=", "user")
      .where(
        "subject_id",
        "not in",
        sql.selectFrom("users").select("id").where("status", "<>", userStatus.deleted),
      ),
  },
  {
    query: sql
      .deleteFrom("budgets")
      .where("subject", "=", "channel")
      .where("subject_id", "not in", sql.selectFrom("channels").select("id")),
  },
  {
    // A run that comes back later begins anew.
    query: sql
      .deleteFrom("budget_counters")
      .where("part", "<>", "")
      .where("held", "=", 0)
      .where(
        "part",
        "in",
        sql
          .selectFrom("runs")
          .select("run")
          .where("last_call_at", "<", now - runsResumeMs),
      ),
  },
  {
    query: sql
      .deleteFrom("budgets")
      .where("subject", "in", ["team", "team_run"])
      .where(
        "subject_id",
        "not in",
        sql.selectFrom("teams").select("id").where("status", "<>", teamStatus.deleted),
      ),
  },
  {
    query: sql
      .deleteFrom("budget_templates")
      .where("team_id", "<>", 0)
      .where(
        "team_id",
        "not in",
        sql.selectFrom("teams").select("id").where("status", "<>", teamStatus.deleted),
      ),
  },
  {
    query: sql
      .deleteFrom("budgets")
      .where("subject", "=", "member")
      .where(
        "subject_id",
        "not in",
        sql
          .selectFrom("team_members")
          .innerJoin("teams", "teams.id", "team_members.team_id")
          .where("teams.status", "<>", teamStatus.deleted)
          .select("team_members.id"),
      ),
  },
  {
    query: sql
      .deleteFrom("budget_counters")
      .where("window_start", "<", now - countersKeptMs)
      .where("held", "=", 0)
      // The only counter of a lifetime may be older.
      .where(
        "budget_id",
        "not in",
        sql.selectFrom("budgets").select("id").where("window", "=", "lifetime"),
      ),
  },
];
