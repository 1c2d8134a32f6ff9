/** SQL on what users are told about: only users with a destination that takes notices are read. */

import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { isAlertRule } from "@tollgate/contract/notices/alert-rule-table.ts";
import { sql as raw } from "kysely";
import type { Database } from "../../storage/database.ts";
import { wholeAmount } from "../../storage/whole-amount.ts";
import {
  expiryToldMs,
  type OwnAlertWorld,
  type OwnedBudget,
  type OwnFiringAlert,
} from "./own-alert-causes.ts";

/**
 * `rowsMax` is that of each kind in one look; what is beyond is looked at when these have ended.
 */
const rowsMax = 5_000;
/** A key that ended while no gateway ran is told for so long. */
const endedToldMs = 24 * 3_600_000;

export type OwnAlertWorldStore = ReturnType<typeof ownAlertWorldStore>;

/** Enabled users with a destination that takes notices. */
export const selectToldUsers = ({ sql }: Pick<Database, "sql">) =>
  sql
    .selectFrom("destinations")
    .innerJoin("users", "users.id", "destinations.user_id")
    .select("destinations.user_id")
    .where("destinations.verified", "=", 1)
    .where("destinations.disabled", "=", 0)
    .where("users.status", "=", userStatus.enabled);

export function ownAlertWorldStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const told = selectToldUsers({ sql });

  const spentBudgets = (now: number) =>
    sql
      .selectFrom("budgets")
      .innerJoin("budget_counters", "budget_counters.budget_id", "budgets.id")
      .select([
        "budgets.id",
        "budgets.name",
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
      .where("thresholds", "<>", "")
      .where("spent", ">", 0)
      // A run ends at its budget; a notice of each would be noise.
      .where("part", "=", "")
      .where("window_start", "<=", now)
      .where(({ or, eb }) => or([eb("window_end", "is", null), eb("window_end", ">", now)]))
      .orderBy(raw`cast(spent as double precision) / ${wholeAmount}`, "desc")
      .limit(rowsMax);

  return {
    async world(now: number): Promise<Omit<OwnAlertWorld, "endingUses">> {
      const firing = sql
        .selectFrom("alerts")
        .select(["rule", "subject_kind", "subject_id", "subject_name", "user_id"])
        .where("state", "=", "firing")
        .where("user_id", ">", 0);
      const wallets = sql
        .selectFrom("users")
        .innerJoin("wallets", "wallets.id", "users.wallet_id")
        .leftJoin("notice_settings", "notice_settings.user_id", "users.id")
        .select(["users.id as user_id", "users.username", "wallets.balance"])
        .select(raw<number>`coalesce(notice_settings.balance_below, 0)`.as("balance_below"))
        .where("users.id", "in", told);
      const tokens = sql
        .selectFrom("tokens")
        .select(["id", "user_id", "name", "created_at"])
        .select(({ ref }) => ref("expired_at").$notNull().as("expired_at"))
        .where("user_id", "in", told)
        .where("status", "=", tokenStatus.enabled)
        .where("session_hash", "is", null)
        .where("expired_at", ">", now - endedToldMs)
        .where("expired_at", "<=", now + expiryToldMs);
      const managementKeys = sql
        .selectFrom("management_keys")
        .select(["id", "user_id", "name", "created_at", "expires_at as expired_at"])
        .where("user_id", "in", told)
        .where("disabled", "=", 0)
        .where("expires_at", ">", now - endedToldMs)
        .where("expires_at", "<=", now + expiryToldMs);
      const ofUsers = spentBudgets(now)
        .where("subject", "=", "user")
        .where("subject_id", "in", told)
        .select("subject_id as user_id");
      const ofTokens = spentBudgets(now)
        .innerJoin("tokens", "tokens.id", "budgets.subject_id")
        .where("subject", "=", "token")
        .where("tokens.user_id", "in", told)
        .select("tokens.user_id");
      const [alerts, owners, keys, ofPrograms, userBudgets, tokenBudgets] = await Promise.all([
        read(firing),
        read(wallets.limit(rowsMax)),
        read(tokens.limit(rowsMax)),
        read(managementKeys.limit(rowsMax)),
        read(ofUsers) as Promise<OwnedBudget[]>,
        read(ofTokens) as Promise<OwnedBudget[]>,
      ]);
      return {
        wallets: owners.map((one) => ({ ...one, balance_below: Number(one.balance_below) })),
        tokens: keys,
        managementKeys: ofPrograms,
        budgets: [...userBudgets, ...tokenBudgets],
        firing: alerts.filter((alert): alert is OwnFiringAlert => isAlertRule(alert.rule)),
      };
    },
  };
}
