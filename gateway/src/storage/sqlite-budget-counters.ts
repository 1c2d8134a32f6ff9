/**
 * Counters of budgets on SQLite. Calls that travel together count in the same few of them, so that
 * what they hold and spend is summed, and each counter is written once for each transaction. The
 * guard of a hold compares with the row and with what waits to be added to it: between a look at
 * the row and its change no other connection writes, for the transaction began with a write.
 */
import type { DatabaseSync } from "node:sqlite";
import { type HeldBudget, isOneOfTargets } from "./money-commands.ts";

interface PendingCounter {
  budget: HeldBudget;
  /** Spent and held in the row, less what was granted; undefined until a hold has asked. */
  stored: number | undefined;
  /** `spent` is what is to be added to the row. */
  spent: number;
  held: number;
  calls: number;
}

/** `EndedHold` is what the end of a hold, or of a part of it, means for its budgets. */
interface EndedHold {
  /** `budgets` are as the reservation has them. */
  budgets: string | null;
  /** Units that are held no longer. */
  amount: number;
  charge: number;
  /** The target of a virtual model that served. */
  target: string | undefined;
  /** The channel that served, and what its budgets count. */
  channel?: { id: number; units: number };
  /** Missing for a call that was released as if it had never been. */
  elapsedMs?: number;
}

export interface SqliteBudgetCounters {
  /**
   * Holds on every hard budget, `onChannel` on those of a channel. Returns the first one that does
   * not cover it, and has then changed nothing.
   */
  hold(budgets: readonly HeldBudget[], amount: number, onChannel?: number): HeldBudget | undefined;
  /** Moves what a call holds from the budgets of one channel to those of another; likewise. */
  move(
    left: readonly HeldBudget[],
    entered: readonly HeldBudget[],
    amount: number,
  ): HeldBudget | undefined;
  /** `unspentOf` gives what a hard budget has left; nothing for one that refuses no call. */
  unspentOf(budget: HeldBudget): number[];
  /**
   * `limitShare` gives the units for a call that wants so many and can begin with fewer. Of a part
   * of a subject it gets a quarter of the rest: the calls beside it need some too.
   */
  limitShare(budgets: readonly HeldBudget[] | undefined, wanted: number, least: number): number;
  /** A budget of a virtual model's target is charged if this target served. */
  end(ended: EndedHold): void;
  /** Writes the sums: before statements that may read or change counters, and before COMMIT. */
  flush(): void;
  discard(): void;
}

/** `shareOfRest` is one of so many calls of a run at once may take what is left in equal parts. */
const shareOfRest = 4;

/** Reservations of a busy key name the same budgets. */
const readBudgetsMax = 200;

export function createSqliteBudgetCounters(db: DatabaseSync): SqliteBudgetCounters {
  const select = db.prepare(
    "select spent + held - granted as used from budget_counters where budget_id = ? and window_start = ? and part = ?",
  );
  const add = db.prepare(
    `insert into budget_counters (budget_id, window_start, window_end, spent, held, calls, part) values (?1, ?2, ?3, ?4, max(0, ?5), ?6, ?7)
     on conflict (budget_id, window_start, part) do update set spent = spent + ?4, held = held + ?5, calls = calls + ?6`,
  );
  const pending = new Map<string, PendingCounter>();
  const read = new Map<string, readonly HeldBudget[]>();

  function counterOf(budget: HeldBudget): PendingCounter {
    const key = `${budget.id} ${budget.start} ${budget.part ?? ""}`;
    const known = pending.get(key);
    if (known) return known;
    const added = { budget, stored: undefined, spent: 0, held: 0, calls: 0 };
    pending.set(key, added);
    return added;
  }

  /** Spent and held beyond what was granted, with what is not written yet. */
  function usedOf(budget: HeldBudget): number {
    const counter = counterOf(budget);
    const { id, start, part = "" } = budget;
    counter.stored ??= (select.get(id, start, part) as { used: number } | undefined)?.used ?? 0;
    return counter.stored + counter.spent + counter.held;
  }

  function budgetsIn(text: string): readonly HeldBudget[] {
    const known = read.get(text);
    if (known) return known;
    if (read.size >= readBudgetsMax) read.clear();
    const budgets = JSON.parse(text) as HeldBudget[];
    read.set(text, budgets);
    return budgets;
  }

  function hold(
    budgets: readonly HeldBudget[],
    amount: number,
    onChannel = 0,
  ): HeldBudget | undefined {
    const hard = budgets.filter(({ max }) => max !== null);
    const addedTo = (budget: HeldBudget): number => {
      if (budget.measure !== undefined) return budget.amount ?? 0;
      return budget.channel === undefined ? amount : onChannel;
    };
    const full = hard.find((budget) => usedOf(budget) + addedTo(budget) > (budget.max ?? 0));
    if (!full) for (const budget of hard) counterOf(budget).held += addedTo(budget);
    return full;
  }

  /** `addHeld` adds or takes away the hold of each of them by itself. */
  function addHeld(budgets: readonly HeldBudget[], sign: 1 | -1): void {
    for (const budget of budgets)
      if (budget.max !== null) counterOf(budget).held += sign * (budget.amount ?? 0);
  }

  return {
    hold,
    move(left, entered, amount) {
      addHeld(left, -1);
      const full = hold(entered, 0, amount);
      if (full) addHeld(left, 1);
      return full;
    },
    unspentOf: (budget) =>
      budget.max === null || budget.measure !== undefined ? [] : [budget.max - usedOf(budget)],
    limitShare: (budgets = [], wanted, least) =>
      least >= wanted
        ? wanted
        : budgets.reduce(
            (share, budget) =>
              budget.max === null || budget.part === undefined || budget.measure !== undefined
                ? share
                : Math.min(
                    share,
                    Math.max(least, Math.floor((budget.max - usedOf(budget)) / shareOfRest)),
                  ),
            wanted,
          ),
    end({ budgets, amount, charge, target: served, channel, elapsedMs }) {
      if (budgets === null) return;
      const spentOn = (budget: HeldBudget): number => {
        if (budget.measure !== undefined)
          return elapsedMs === undefined ? 0 : budget.measure === "calls" ? 1 : elapsedMs;
        if (budget.channel !== undefined) return budget.channel === channel?.id ? channel.units : 0;
        return budget.target === null || isOneOfTargets(budget.target, served) ? charge : 0;
      };
      for (const budget of budgetsIn(budgets)) {
        const counter = counterOf(budget);
        const spent = spentOn(budget);
        if (spent > 0) {
          counter.spent += spent;
          counter.calls++;
        }
        if (budget.max !== null) counter.held -= budget.amount ?? amount;
      }
    },
    flush() {
      for (const { budget, spent, held, calls } of pending.values())
        if (spent !== 0 || held !== 0)
          add.run(budget.id, budget.start, budget.end, spent, held, calls, budget.part ?? "");
      pending.clear();
    },
    discard: () => pending.clear(),
  };
}
