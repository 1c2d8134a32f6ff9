/** SQL on what alerts are raised about. */

import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import { teamStatus } from "@tollgate/contract/accounts/teams.ts";
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { isAlertRule, isOwnRule } from "@tollgate/contract/notices/alert-rule-table.ts";
import { sql as raw } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import { isPresentRequest } from "../../storage/present-requests.ts";
import { computeDay, computeHour } from "../../storage/rollups.ts";
import { wholeAmount } from "../../storage/whole-amount.ts";
import type { AlertWorld } from "./operator-causes.ts";

const chore = "raise alerts";
/** `modelsMax` is that of one day; more are looked at when they are called again. */
const modelsMax = 5_000;
/** `budgetsMax` says that have spent anything in a window; the fullest first. */
const budgetsMax = 5_000;
/** `askersMax` is more than one page shows. */
const askersMax = 1_000;
/** `teamsMax` bounds the alerts that one disabled provider of accounts can raise. */
const teamsMax = 1_000;

export type AlertWorldStore = ReturnType<typeof createAlertWorldStore>;

export function createAlertWorldStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const answer = raw<string>`coalesce((select notices.answer from notices
    where notices.destination_id = destinations.id and notices.answer <> '' order by notices.id desc limit 1), '')`;

  return {
    /**
     * `claim` lets one of several nodes look: the one that moves the date. A date beyond the next
     * one is that of a clock that was set back.
     */
    claim: (now: number, everyMs: number): Write => ({
      query: sql
        .updateTable("chores")
        .set({ due_at: now + everyMs })
        .where("name", "=", chore)
        .where(({ or, eb }) => or([eb("due_at", "<=", now), eb("due_at", ">", now + everyMs)])),
      rows: 1,
    }),

    async world(now: number): Promise<Omit<AlertWorld, "unpricedModels" | "suspensions">> {
      const firing = sql
        .selectFrom("alerts")
        .select(["rule", "subject_kind", "subject_id", "subject_name"])
        .where("state", "=", "firing")
        .where("user_id", "=", 0);
      const channels = sql
        .selectFrom("channels")
        .select([
          "id",
          "name",
          "status",
          "models",
          "balance_micros",
          "balance_updated_at",
          "updated_at",
        ]);
      const keys = sql
        .selectFrom("channel_keys")
        .innerJoin("channels", "channels.uuid", "channel_keys.channel_uuid")
        .select(["channels.id", "channel_keys.place"])
        .where("channel_keys.status", "=", channelStatus.autoDisabled);
      const called = sql
        .selectFrom("rollup_day_model")
        .select("model_name")
        .distinct()
        .where("day", "=", computeDay(now));
      const hours = sql
        .selectFrom("rollup_hour_model")
        .select(["hour", "model_name", "requests", "failures"])
        .where("hour", ">=", computeHour(now) - 1)
        .orderBy("failures", "desc");
      // What owners of keys allow themselves concerns them alone.
      const budgets = sql
        .selectFrom("budgets")
        .innerJoin("budget_counters", "budget_counters.budget_id", "budgets.id")
        .select([
          "id",
          "name",
          "thresholds",
          "window",
          "first_day",
          "anchor",
          "zone",
          "counts_from",
        ])
        .select(["budget_counters.spent", "budget_counters.window_start"])
        .select(wholeAmount.as("amount"))
        .where("enabled", "=", 1)
        .where("by_owner", "=", 0)
        .where("thresholds", "<>", "")
        .where("spent", ">", 0)
        // A run ends at its budget; a notice of each would be noise.
        .where("part", "=", "")
        .where("window_start", "<=", now)
        .where(({ or, eb }) => or([eb("window_end", "is", null), eb("window_end", ">", now)]))
        .orderBy(raw`cast(spent as double precision) / ${wholeAmount}`, "desc");
      // Admins of teams decide what members ask for.
      const askers = sql
        .selectFrom("budget_requests")
        .innerJoin("budgets", "budgets.id", "budget_requests.budget_id")
        .innerJoin("users", "users.id", "budget_requests.user_id")
        .select("budget_requests.user_id")
        .distinct()
        .where("budget_requests.status", "=", "waiting")
        .where("budgets.subject", "<>", "member")
        .where("users.status", "=", userStatus.enabled)
        .where(isPresentRequest(now))
        .limit(askersMax);
      // As the team is passed on: an admin who left, or whose account is disabled, is none.
      const unmanaged = sql
        .selectFrom("teams")
        .select(["id", "name"])
        .where("status", "=", teamStatus.enabled)
        .where(
          raw<boolean>`not exists (select 1 from team_members
            join users on users.id = team_members.user_id and users.status = ${raw.lit(userStatus.enabled)}
            where team_members.team_id = teams.id and team_members.role = 'admin'
              and team_members.left_at is null)`,
        )
        .orderBy("id");
      const [
        alerts,
        all,
        disabled,
        models,
        modelHours,
        spentBudgets,
        requests,
        asked,
        destinations,
        teamsWithoutAdmin,
      ] = await Promise.all([
        read(firing),
        read(channels),
        read(keys),
        read(called.limit(modelsMax)),
        read(hours.limit(2 * modelsMax)),
        read(budgets.limit(budgetsMax)),
        read(sql.selectFrom("quota_requests").select("user_id").distinct()),
        read(askers),
        read(
          sql
            .selectFrom("destinations")
            .select(["id", "name", "failing_since"])
            .select(answer.as("answer"))
            .where("failing_since", "is not", null)
            .where("user_id", "=", 0),
        ),
        read(unmanaged.limit(teamsMax)),
      ]);
      return {
        channels: all,
        disabledKeys: new Set(disabled.map(({ id, place }) => `${id}/${place}`)),
        modelsCalledToday: models.map(({ model_name }) => model_name),
        modelHours,
        budgets: spentBudgets,
        waitingUserIds: requests.map(({ user_id }) => user_id),
        askingUserIds: asked.map(({ user_id }) => user_id),
        teamsWithoutAdmin,
        destinations,
        firing: alerts.filter(
          (alert): alert is AlertWorld["firing"][number] =>
            isAlertRule(alert.rule) && !isOwnRule(alert.rule),
        ),
      };
    },
  };
}
