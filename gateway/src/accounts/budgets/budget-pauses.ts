/**
 * Budgets that pause keys when they are used up. A window pauses once, whatever runs at the same
 * moment: the statement that moves `pauses_after` is the guard of the batch. A key that its owner
 * or an administrator resumed is therefore not paused again in the same window.
 */

import { reactionSubjects } from "@tollgate/contract/accounts/budget-kinds.ts";
import { type PauseOrigin, tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import type { AuditAction } from "@tollgate/contract/site/audit-actions.ts";
import { sql as raw } from "kysely";
import { findWindow } from "../../money/holds/budget-windows.ts";
import { composeKeysPausedMail, mailLanguage } from "../../notices/mail/mail-messages.ts";
import { readMailSite } from "../../notices/mail/mail-outbox.ts";
import type { Mailer } from "../../notices/mail/mailer.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import { type Database, tryWrite, type Write } from "../../storage/database.ts";
import { isLastingKey } from "../../storage/lasting-keys.ts";
import { wholeAmount } from "../../storage/whole-amount.ts";
import type { BudgetRow } from "./budget-store.ts";
import type { CountedBudget } from "./budget-view.ts";

/** `budgetsMax` is in one run; a budget that has paused leaves room for the next one. */
const budgetsMax = 500;

interface BudgetPausesDeps {
  db: Database;
  options: OptionReader;
  mailer: Mailer;
  publicUrl: string | undefined;
  now(): number;
  onError(error: unknown): void;
}

export interface BudgetPauses {
  /**
   * A hard budget has refused a call that needed at least this many units. Never throws: the call
   * is refused either way.
   */
  afterRefusal(refusing: CountedBudget, least: number): Promise<void>;
  /** `pauseReached` is for the schedule: what charges used up without a call that was refused. */
  pauseReached(): Promise<void>;
}

export function createBudgetPauses(deps: BudgetPausesDeps): BudgetPauses {
  const { db, mailer, now, onError } = deps;

  const pause = async (row: BudgetRow, windowStart: number, least: number): Promise<void> => {
    const at = now();
    // Misses where another node was first, the budget was changed, or the counter has room again.
    if (
      await tryWrite(db, planPauses(db, { row, windowStart, least }, at), {
        changes: ["budgets", "tokens"],
      })
    )
      return;
    const owner = await findOwnerOfPaused(db, row, at);
    if (!owner || owner.email === "" || !mailer.isConfigured()) return;
    const reader = { to: owner.email, language: mailLanguage(owner.language) };
    mailer.enqueue("keys paused", async () =>
      composeKeysPausedMail(reader, readMailSite(deps), { budget: row.name }),
    );
  };

  return {
    async afterRefusal({ row, window, spent, limit }, least) {
      if (row.on_reached !== "pause" || row.pauses_after >= window.start) return;
      // What running calls hold may come back, so it does not count; and one large call does not
      // use up a window in which nothing was spent.
      if (spent === 0 || spent + least <= limit) return;
      await pause(row, window.start, least).catch(onError);
    },
    async pauseReached() {
      const at = now();
      for (const { window_start, ...row } of await db.read(selectReached(db, at))) {
        // Another window or zone of the budget may have left the counter behind.
        if (findWindow(row, at).start === window_start) await pause(row, window_start, 1);
      }
    },
  };
}

const selectReached = ({ sql }: Pick<Database, "sql">, now: number) =>
  sql
    .selectFrom("budgets")
    .innerJoin("budget_counters", "budget_counters.budget_id", "budgets.id")
    .selectAll("budgets")
    .select("budget_counters.window_start")
    .where("budgets.on_reached", "=", "pause")
    .where("budgets.subject", "in", reactionSubjects.pause)
    .where("budgets.enabled", "=", 1)
    .whereRef("budget_counters.window_start", ">", "budgets.pauses_after")
    .where("budget_counters.spent", ">=", wholeAmount)
    .where("budget_counters.window_start", "<=", now)
    .where(({ or, eb }) => or([eb("window_end", "is", null), eb("window_end", ">", now)]))
    .orderBy("budgets.id")
    .limit(budgetsMax);

interface UsedUpBudget {
  row: BudgetRow;
  windowStart: number;
  /** Units that a call needed and that were not left. */
  least: number;
}

function planPauses(
  { sql, audit }: Pick<Database, "sql" | "audit">,
  { row, windowStart, least }: UsedUpBudget,
  now: number,
): Write[] {
  const counter = sql
    .selectFrom("budget_counters")
    .select("budget_id")
    .where("budget_id", "=", row.id)
    .where("window_start", "=", windowStart)
    .where("spent", ">", 0)
    .where(raw<boolean>`spent - granted > ${row.amount - least}`);
  const guard = sql
    .updateTable("budgets")
    .set({ pauses_after: windowStart })
    .where("id", "=", row.id)
    .where("updated_at", "=", row.updated_at)
    .where("on_reached", "=", "pause")
    // Rows of earlier versions may pause with other subjects, whose ids are not those of users.
    .where("subject", "in", reactionSubjects.pause)
    .where("enabled", "=", 1)
    .where("pauses_after", "<", windowStart)
    .where(({ exists }) => exists(counter));
  const keys = sql
    .updateTable("tokens")
    .set({
      status: tokenStatus.paused,
      paused_by: "budget" satisfies PauseOrigin,
      paused_by_name: row.name,
      pause_reason: "",
      paused_at: now,
      updated_at: raw<number>`case when updated_at < ${now} then ${now} else updated_at + 1 end`,
    })
    .where(row.subject === "token" ? "id" : "user_id", "=", row.subject_id)
    .where(isLastingKey())
    .where("status", "in", [tokenStatus.enabled, tokenStatus.exhausted]);
  const entry = {
    ...{ at: now, actorId: 0, address: "", target: row.uuid },
    action: "budget.pause_keys" satisfies AuditAction,
    change: { name: row.name, subject: row.subject, subject_id: row.subject_id },
  };
  return [{ query: guard, rows: 1 }, { query: keys }, ...audit(entry)];
}

/** Undefined where the budget found no key to pause at this moment. */
async function findOwnerOfPaused(
  { sql, read }: Pick<Database, "sql" | "read">,
  row: BudgetRow,
  pausedAt: number,
) {
  const [owner] = await read(
    sql
      .selectFrom("tokens")
      .innerJoin("users", "users.id", "tokens.user_id")
      .select(["users.email", "users.language"])
      .where(row.subject === "token" ? "tokens.id" : "tokens.user_id", "=", row.subject_id)
      .where("tokens.paused_by", "=", "budget")
      .where("tokens.paused_at", "=", pausedAt)
      .limit(1),
  );
  return owner;
}
