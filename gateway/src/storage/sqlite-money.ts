/**
 * The money verbs on SQLite, run by the writer thread inside its open transaction. PostgreSQL's
 * twin is storage/migrations/0016-debts.ts, 0031-budgets.ts and 0120-channel-budgets.ts. A refused
 * command changes nothing; one that throws makes the writer roll back and repeat the batch without
 * it.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import {
  computeChannelUnits,
  type EnterChannelCommand,
  type GrantCommand,
  type HeldBudget,
  type HoldCommand,
  type HoldRefusal,
  type PoolShare,
  type ProgressCommand,
  type RedeemCommand,
  type ReleaseCommand,
  type ShrinkPoolCommand,
  type TopUpCommand,
} from "./money-commands.ts";
import { columnIndex, packLog } from "./packed-log.ts";
import { createSqliteBudgetCounters } from "./sqlite-budget-counters.ts";
import { createCallCounters } from "./sqlite-call-counters.ts";
import { createSqliteHoldPools } from "./sqlite-hold-pools.ts";
import { prepareMoneyStatements } from "./sqlite-money-statements.ts";
import type { MoneyWork, PackedSettle } from "./sqlite-protocol.ts";

/** `quotaMax` of the contract, whose schemas are not loaded in this thread. */
const balanceMax = 9_000_000_000_000_000;

/** `ChargeParts` are where the units of a charge come from. */
interface ChargeParts {
  taken: number;
  owed: number;
  lost: number;
}

interface OpenReservation {
  wallet_id: number;
  user_id: number;
  token_id: number;
  amount: number;
  token_amount: number;
  /** JSON list of `HeldBudget`. */
  budgets: string | null;
}

export interface SqliteMoney {
  run(command: MoneyWork): string | number;
  /** Adds a call without a hold to the roll-ups, once its row is written. */
  count(log: SQLInputValue[]): void;
  /**
   * Writes what commands since the last flush add to roll-ups, users, channels and budgets, and
   * charge to pools; call before COMMIT.
   */
  flush(): void;
  /** Writes what they add to budgets; call before statements of the same transaction. */
  flushBudgets(): void;
  /** Discards it; call after ROLLBACK. */
  discard(): void;
}

function addLoss(log: PackedSettle["log"], lost: number): PackedSettle["log"] {
  const note = `${lost} units were written off: neither the hold nor the balance covered them`;
  const content = [log[columnIndex.content], note].filter((part) => part !== "").join("; ");
  return log.with(columnIndex.content, content);
}

export function createSqliteMoney(db: DatabaseSync, node: number): SqliteMoney {
  const statements = prepareMoneyStatements(db);
  const counters = createCallCounters(db);
  const budgetCounters = createSqliteBudgetCounters(db);
  const pools = createSqliteHoldPools(db, statements.settleToken);

  function hold(command: HoldCommand): string | number {
    const { walletId, tokenId, least = command.amount } = command;
    const wanted = budgetCounters.limitShare(command.budgets, command.amount, least);
    const result = reserve(command, wanted);
    if (result === "held") return wanted < command.amount ? wanted : result;
    if (result === "wallet_in_debt" || least >= command.amount) return result;
    // Nothing was changed, and no other command runs between: what is available now can be set
    // aside.
    const { available } = statements.available.get(walletId) as { available: number };
    const left = command.tokenIsUnlimited
      ? available
      : (statements.tokenLeft.get(tokenId) as { left: number }).left;
    const unspent = (command.budgets ?? []).flatMap((budget) => budgetCounters.unspentOf(budget));
    const amount = Math.max(least, Math.min(wanted, available, left, ...unspent));
    const partial = reserve(command, amount);
    return partial === "held" ? amount : partial;
  }

  function reserve(command: HoldCommand, amount: number): "held" | HoldRefusal {
    const { id, walletId, tokenId } = command;
    const tokenAmount = command.tokenIsUnlimited ? 0 : amount;
    // A key whose limit was lowered below what it holds covers no part of a call, not even none of
    // it.
    const asksToken = !command.tokenIsUnlimited && command.amount > 0;
    if (statements.holdWallet.run(amount, walletId, amount).changes !== 1) {
      return statements.inDebt.get(walletId) ? "wallet_in_debt" : "insufficient_user_quota";
    }
    if (asksToken && statements.holdToken.run(tokenAmount, tokenId, tokenAmount).changes !== 1) {
      statements.unholdWallet.run(amount, walletId);
      return "pre_consume_token_quota_failed";
    }
    const { userId, leaseUntil, snapshot, budgets } = command;
    if (budgets) {
      // What costs nothing needs nothing of a budget in units.
      const asked =
        command.amount > 0 ? budgets : budgets.filter(({ measure }) => measure !== undefined);
      const full = budgetCounters.hold(asked, amount);
      if (full) {
        statements.unholdWallet.run(amount, walletId);
        if (asksToken) statements.releaseToken.run(tokenAmount, tokenId);
        return `budget:${full.id}`;
      }
    }
    const named = budgets ? JSON.stringify(budgets) : null;
    statements.reserve.run(
      id,
      walletId,
      userId,
      tokenId,
      amount,
      tokenAmount,
      node,
      leaseUntil,
      snapshot,
      named,
    );
    return "held";
  }

  function topUpHold({ id, amount, onChannel = 0 }: TopUpCommand): string {
    pools.flush();
    const held = statements.reservation.get(id) as OpenReservation | undefined;
    if (!held) return "gone";
    if (statements.holdWallet.run(amount, held.wallet_id, amount).changes !== 1)
      return "insufficient_user_quota";
    const tokenAmount = held.token_amount > 0 ? amount : 0;
    if (tokenAmount > 0 && statements.holdToken.run(amount, held.token_id, amount).changes !== 1) {
      statements.unholdWallet.run(amount, held.wallet_id);
      return "pre_consume_token_quota_failed";
    }
    const budgets = readBudgets(held);
    const growing = budgets.filter(({ measure }) => measure === undefined);
    const full = budgetCounters.hold(growing, amount, onChannel);
    if (full) {
      statements.unholdWallet.run(amount, held.wallet_id);
      if (tokenAmount > 0) statements.releaseToken.run(amount, held.token_id);
      return `budget:${full.id}`;
    }
    statements.reserveMore.run(amount, tokenAmount, id);
    if (onChannel > 0)
      nameBudgets(
        id,
        budgets.map((one) =>
          one.channel === undefined ? one : { ...one, amount: (one.amount ?? 0) + onChannel },
        ),
      );
    return "held";
  }

  const readBudgets = ({ budgets }: OpenReservation): HeldBudget[] =>
    budgets === null ? [] : (JSON.parse(budgets) as HeldBudget[]);

  function nameBudgets(id: number, budgets: readonly HeldBudget[]): void {
    statements.nameBudgets.run(budgets.length === 0 ? null : JSON.stringify(budgets), id);
  }

  function enterChannel({ id, channelId, budgets, amount, keeps }: EnterChannelCommand): string {
    const held = statements.reservation.get(id) as OpenReservation | undefined;
    if (!held) return "gone";
    const isLeft = ({ channel }: HeldBudget): boolean =>
      channel !== undefined && (channel !== keeps || channel === channelId);
    const named = readBudgets(held);
    const entered = budgets.map((budget) => ({ ...budget, channel: channelId, amount }));
    const full = budgetCounters.move(named.filter(isLeft), entered, amount);
    if (full) return `budget:${full.id}`;
    nameBudgets(id, [...named.filter((budget) => !isLeft(budget)), ...entered]);
    return "held";
  }

  function settle(command: PackedSettle): string {
    const { id, charge, target, pool, log } = command;
    const now = Date.now();
    if (pool && statements.logged.get(id)) return "already";
    if (pool && charge <= pool.amount) {
      const owner = pools.charge(pool.id, charge);
      // The rest of the share stays held, on the budgets as on the wallet.
      budgetCounters.end({ budgets: owner.budgets, amount: charge, charge, target });
      return record(command, owner, { taken: charge, owed: 0, lost: 0 }, now);
    }
    const held = pool
      ? holdOfShare(pool)
      : (statements.closeReservation.get(id) as OpenReservation | undefined);
    if (!held) return "already";
    const parts = chargeWallet(held, charge, id, now);
    statements.settleToken.run(held.token_amount, charge, charge, now, charge, held.token_id);
    if (held.budgets !== null) {
      const cost = log[columnIndex.cost_nanos];
      const units = computeChannelUnits(charge, typeof cost === "number" ? cost : null);
      const channel = { id: Number(log[columnIndex.channel_id]), units };
      const elapsedMs = Number(log[columnIndex.elapsed_ms]);
      budgetCounters.end({
        budgets: held.budgets,
        amount: held.amount,
        charge,
        target,
        channel,
        elapsedMs,
      });
    }
    return record(command, held, parts, now);
  }

  /** A call that cost more than its share ends like one with a hold of its own. */
  function holdOfShare(share: PoolShare): OpenReservation {
    const { amount } = share;
    const owner = pools.take(share);
    return { ...owner, amount, token_amount: owner.token_amount > 0 ? amount : 0 };
  }

  /** The ledger's entries, the log row and the trace of a call that is charged. */
  function record(
    { id, charge, log, trace }: PackedSettle,
    { wallet_id, user_id, token_id }: Pick<OpenReservation, "wallet_id" | "user_id" | "token_id">,
    { taken, owed, lost }: ChargeParts,
    now: number,
  ): string {
    const countsFor = [user_id, token_id, Number(log[columnIndex.channel_id]), now] as const;
    if (taken > 0)
      statements.ledger.run(id, "charge", `wallet:${wallet_id}`, "revenue", taken, ...countsFor);
    if (owed > 0)
      statements.ledger.run(id, "debt", `debt:${wallet_id}`, "revenue", owed, ...countsFor);
    if (lost > 0) {
      statements.ledger.run(id, "shortfall", "shortfall", "revenue", lost, ...countsFor);
    }
    // Not changed in place: a transaction that fails is repeated with the same command.
    statements.log.run(...(lost > 0 ? addLoss(log, lost) : log));
    statements.trace.run(id, trace);
    counters.addCall(log, user_id, charge);
    return lost > 0 ? "short" : "settled";
  }

  /**
   * Charges the wallet and releases the hold. What neither hold nor balance covers becomes debt, up
   * to the amount of the hold; the rest is lost to the operator.
   */
  function chargeWallet(
    { wallet_id, amount }: Pick<OpenReservation, "wallet_id" | "amount">,
    charge: number,
    id: number,
    at: number,
  ): ChargeParts {
    const wallet = statements.settleWallet.get(charge, amount, wallet_id, amount, charge) as
      | { debt: number }
      | undefined;
    if (wallet) {
      if (wallet.debt > 0) payDebt(wallet_id, id, at);
      return { taken: charge, owed: 0, lost: 0 };
    }
    const { balance, held } = statements.wallet.get(wallet_id) as { balance: number; held: number };
    const taken = Math.max(0, balance - (held - amount));
    const owed = Math.min(charge - taken, amount);
    statements.settleIntoDebt.run(taken, amount, owed, wallet_id);
    return { taken, owed, lost: charge - taken - owed };
  }

  /**
   * `payDebt` gives what no running call holds pays the debt: the first act of every credit, and of
   * everything else that frees units.
   */
  function payDebt(walletId: number, id: number, at: number): void {
    const paid = (statements.payableDebt.get(walletId) as { paid: number } | undefined)?.paid ?? 0;
    if (paid <= 0) return;
    statements.payDebt.run(paid, paid, walletId);
    statements.ledger.run(
      id,
      "debt_payment",
      `wallet:${walletId}`,
      `debt:${walletId}`,
      paid,
      null,
      null,
      null,
      at,
    );
  }

  function release({ id }: ReleaseCommand): string {
    pools.flush();
    const held = statements.closeReservation.get(id) as OpenReservation | undefined;
    if (!held) return "already";
    chargeWallet(held, 0, id, Date.now());
    statements.releaseToken.run(held.token_amount, held.token_id);
    budgetCounters.end({
      budgets: held.budgets,
      amount: held.amount,
      charge: 0,
      target: undefined,
    });
    return "released";
  }

  function shrinkPool(command: ShrinkPoolCommand): string {
    const { amount, paymentId } = command;
    const owner = pools.shrink(command);
    if (!owner) return "gone";
    chargeWallet({ wallet_id: owner.wallet_id, amount }, 0, paymentId, Date.now());
    if (owner.token_amount > 0) statements.releaseToken.run(amount, owner.token_id);
    budgetCounters.end({ budgets: owner.budgets, amount, charge: 0, target: undefined });
    return "shrunk";
  }

  function progress({ leaseUntil, calls }: ProgressCommand): string {
    for (const [id, delivered] of calls) statements.progress.run(leaseUntil, delivered, id);
    return "noted";
  }

  function grant({ id, walletId, amount, at }: GrantCommand): string {
    if (amount === 0 || statements.granted.get(id)) return "already";
    if (statements.grantWallet.run(amount, walletId, amount).changes !== 1)
      return "insufficient_user_quota";
    const [debit, credit] =
      amount > 0 ? ["issuance", `wallet:${walletId}`] : [`wallet:${walletId}`, "issuance"];
    statements.ledger.run(id, "grant", debit, credit, Math.abs(amount), null, null, null, at);
    payDebt(walletId, id, at);
    return "granted";
  }

  function redeem({
    id,
    codeId,
    quota,
    walletId,
    userId,
    at,
    idempotencyHash,
    log,
  }: RedeemCommand): string {
    if (statements.useCode.run(at, userId, idempotencyHash, id, at, codeId, quota).changes !== 1)
      return statements.redeemed.get(id) ? "redeemed" : "gone";
    if (statements.payWallet.run(quota, walletId, quota, balanceMax).changes !== 1) {
      statements.unuseCode.run(codeId);
      return "wallet_full";
    }
    if (quota > 0)
      statements.ledger.run(
        id,
        "redemption",
        "issuance",
        `wallet:${walletId}`,
        quota,
        null,
        null,
        null,
        at,
      );
    payDebt(walletId, id, at);
    statements.log.run(...packLog(log));
    if (log.event) statements.tellEvent.run(log.event, id);
    return "redeemed";
  }

  return {
    run(command) {
      switch (command.verb) {
        case "hold":
          return hold(command);
        case "top_up_hold":
          return topUpHold(command);
        case "enter_channel":
          return enterChannel(command);
        case "leave_pool":
          return pools.leave(command);
        case "shrink_pool":
          return shrinkPool(command);
        case "settle":
          return settle(command);
        case "release":
          return release(command);
        case "progress":
          return progress(command);
        case "grant":
          return grant(command);
        case "redeem":
          return redeem(command);
      }
    },
    count: (log) => counters.addCall(log, Number(log[columnIndex.user_id]), 0, false),
    flush() {
      pools.flush();
      counters.flush();
      budgetCounters.flush();
    },
    flushBudgets: budgetCounters.flush,
    discard() {
      pools.discard();
      budgetCounters.discard();
      counters.forget();
    },
  };
}
