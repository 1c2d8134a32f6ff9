/**
 * The money verbs as plain data. Storage executes each command in a single transaction, once, and
 * returns data: a callback could not cross threads, and an interactive transaction would block all
 * others.
 */
import type { LogRow } from "./tables/call-tables.ts";

/** A budget that a call counts for, with the window in which the call began. */
export interface HeldBudget {
  id: number;
  start: number;
  /** The first moment after the window; null for one without an end. */
  end: number | null;
  /**
   * `max` bounds the sum of spent and held units. Null for a budget that counts and refuses
   * nothing.
   */
  max: number | null;
  /**
   * The targets of a virtual model, comma-joined, for which it counts: charged only if one of them
   * serves. Null for every other.
   */
  target: string | null;
  /**
   * The part of its subject that it counts by itself, such as a run; missing for a budget that
   * counts all of it as one.
   */
  part?: string;
  /**
   * The channel whose budget it is: it counts what a call comes to there, and nothing if another
   * channel serves.
   */
  channel?: number;
  /** `measure` is counted instead of units: calls, or milliseconds for which calls run. */
  measure?: "calls" | "minutes";
  /**
   * `amount` is the part that the call holds on it, where that is not the hold of the reservation:
   * of a channel, and of another measure.
   */
  amount?: number;
}

/**
 * `isOneOfTargets` says whether a budget that counts for these targets counts for a call that
 * `served` served.
 */
export const isOneOfTargets = (targets: string, served: string | undefined): boolean =>
  targets === served || (served !== undefined && targets.split(",").includes(served));

/**
 * Sets units aside for one client request, or refuses. The guard is in the statement; there is no
 * check before it.
 */
export interface HoldCommand {
  verb: "hold";
  id: number;
  walletId: number;
  userId: number;
  tokenId: number;
  amount: number;
  /**
   * `least` takes a hold of all there is with less than `amount` available, but never less than
   * this; without it, nothing less.
   */
  least?: number;
  /** Unlimited tokens are bounded by the wallet alone. */
  tokenIsUnlimited: boolean;
  leaseUntil: number;
  /** JSON for the sweeper: frozen price, names, estimate. */
  snapshot: string;
  /** `budgets` are in ascending order of ids; missing where the call counts for none. */
  budgets?: readonly HeldBudget[] | undefined;
}

/**
 * A reservation that short calls of one key share (docs/decisions/0037-pools-of-holds.md). SQLite
 * alone has them. A pool is opened by `hold`, extended by `top_up_hold` and ended by `release`; it
 * is never settled.
 */
export interface PoolShare {
  /** The pool's reservation. */
  id: number;
  /** Units of the pool that cover this call. */
  amount: number;
}

/** Gives a call of a pool a reservation of its own, with the units of its share. */
export interface LeavePoolCommand {
  verb: "leave_pool";
  id: number;
  pool: PoolShare;
  leaseUntil: number;
  snapshot: string;
}

/** Releases a part of a pool that covers no call. */
export interface ShrinkPoolCommand {
  verb: "shrink_pool";
  id: number;
  amount: number;
  /**
   * `paymentId` names the ledger row in which the freed units pay a debt: the pool's own id is for
   * its end.
   */
  paymentId: number;
}

/** Sets more aside while a stream runs. */
export interface TopUpCommand {
  verb: "top_up_hold";
  id: number;
  amount: number;
  /** Units more for the budgets of the channel. */
  onChannel?: number;
}

/**
 * `EnterChannelCommand` sets aside on the budgets of a channel what a call may come to there, and
 * gives back what the channels before hold for it, or refuses and changes nothing. So an attempt
 * costs no statement where no channel has a budget.
 */
export interface EnterChannelCommand {
  verb: "enter_channel";
  /** The id of the call's reservation. */
  id: number;
  channelId: number;
  /** `budgets` are in ascending order of ids; none for a channel without. */
  budgets: readonly HeldBudget[];
  /** Units on each of them. */
  amount: number;
  /**
   * A channel that may have done the work already, and may be what the call is charged for: what it
   * holds stays.
   */
  keeps?: number | undefined;
}

const nanosPerUnit = 2_000;

/**
 * `computeChannelUnits` is what a call counts on the budgets of its channel: what the operator
 * pays, and where that is unknown, the charge.
 */
export const computeChannelUnits = (charge: number, costNanos: number | null): number =>
  costNanos === null ? charge : Math.ceil(costNanos / nanosPerUnit);

/** Ends a hold with its charge (0 for a failure), the log row and the trace. Idempotent by id. */
export interface SettleCommand {
  verb: "settle";
  id: number;
  charge: number;
  log: LogRow;
  /** JSON of the trace. */
  trace: string;
  /** The target of a virtual model that served. */
  target?: string | undefined;
  /**
   * The hold counts for budgets. PostgreSQL settles such a call alone: their counters are shared by
   * the calls of many wallets.
   */
  hasBudgets?: boolean | undefined;
  /** The call has no reservation of its own. */
  pool?: PoolShare | undefined;
}

/** Ends a hold without any charge or log row. */
export interface ReleaseCommand {
  verb: "release";
  id: number;
}

/**
 * `ProgressCommand` is what running calls have delivered so far, and a new lease for each of them.
 */
export interface ProgressCommand {
  verb: "progress";
  leaseUntil: number;
  /** `[id, JSON of the progress or null to leave it as it is]`. */
  calls: [id: number, progress: string | null][];
}

/**
 * Moves units between issuance and a wallet: positive grants, negative takes back. Idempotent by
 * id.
 */
export interface GrantCommand {
  verb: "grant";
  id: number;
  walletId: number;
  amount: number;
  at: number;
}

/**
 * Uses up a code and pays it into a wallet, with the log row. Pays once, also under concurrent
 * attempts.
 */
export interface RedeemCommand {
  verb: "redeem";
  id: number;
  codeId: number;
  /**
   * The quota read from the code before; a different stored value means that the code was edited
   * since.
   */
  quota: number;
  walletId: number;
  userId: number;
  at: number;
  /** Hash of the client's `Idempotency-Key`, stored on the code. */
  idempotencyHash: string | null;
  log: LogRow;
}

export type MoneyCommand =
  | HoldCommand
  | TopUpCommand
  | EnterChannelCommand
  | LeavePoolCommand
  | ShrinkPoolCommand
  | SettleCommand
  | ReleaseCommand
  | ProgressCommand
  | GrantCommand
  | RedeemCommand;

/** The budget with this id does not cover the call. */
export type BudgetRefusal = `budget:${number}`;
export type FundsRefusal =
  | "wallet_in_debt"
  | "insufficient_user_quota"
  | "pre_consume_token_quota_failed";
export type HoldRefusal = FundsRefusal | BudgetRefusal;

export const isBudgetRefusal = (result: unknown): result is BudgetRefusal =>
  typeof result === "string" && result.startsWith("budget:");

export const computeBudgetId = (refusal: BudgetRefusal): number =>
  Number(refusal.slice("budget:".length));

export type MoneyResult<Command extends MoneyCommand> = Command extends HoldCommand
  ? /** A number: the units that were set aside, fewer than `amount`. */
    "held" | number | HoldRefusal
  : Command extends TopUpCommand
    ? "held" | HoldRefusal | "gone"
    : Command extends EnterChannelCommand
      ? "held" | BudgetRefusal | "gone"
      : Command extends LeavePoolCommand
        ? "left"
        : Command extends ShrinkPoolCommand
          ? "shrunk" | "gone"
          : Command extends SettleCommand
            ? /** `short`: settled, and a part was written off. `already`: this id was settled or swept before, nothing was changed. */
              "settled" | "short" | "already"
            : Command extends ReleaseCommand
              ? "released" | "already"
              : Command extends GrantCommand
                ? "granted" | "already" | "insufficient_user_quota"
                : Command extends RedeemCommand
                  ? /** `gone`: used, disabled, deleted or edited meanwhile. */
                    "redeemed" | "gone" | "wallet_full"
                  : "noted";
