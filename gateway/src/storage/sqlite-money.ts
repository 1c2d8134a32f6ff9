/**
 * The money verbs on SQLite, run by the writer thread inside its open transaction. PostgreSQL's twin is
 * storage/migrations/0016-debts.ts and 0031-budgets.ts. A refused command changes nothing; one that
 * throws makes the writer roll back and repeat the batch without it.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type {
  GrantCommand,
  HeldBudget,
  HoldCommand,
  HoldRefusal,
  ProgressCommand,
  RedeemCommand,
  ReleaseCommand,
  TopUpCommand,
} from "./money-commands.ts";
import {
  countCall,
  failedOutcomes,
  hourOf,
  measureColumns,
  type RollupSubject,
  rollupKeysOf,
  rollupTables,
} from "./rollups.ts";
import type { MoneyWork, PackedSettle } from "./sqlite-protocol.ts";
import type { LogRow } from "./tables/call-tables.ts";
import { idTime } from "./time-ids.ts";

/** The columns of a log row, in the order in which it is inserted. */
export const logColumns = [
  "id",
  "type",
  "user_id",
  "username",
  "token_id",
  "token_name",
  "channel_id",
  "channel_name",
  "model_name",
  "origin_model_name",
  "quota",
  "prompt_tokens",
  "completion_tokens",
  "cached_prompt_tokens",
  "cache_write_5m_tokens",
  "cache_write_1h_tokens",
  "elapsed_ms",
  "ttft_ms",
  "is_stream",
  "outcome",
  "content",
  "price",
  "usage_details",
  "retries",
] as const satisfies readonly (keyof LogRow)[];

export const packLog = (log: LogRow): SQLInputValue[] => logColumns.map((name) => log[name]);
const columnIndex = Object.fromEntries(logColumns.map((name, index) => [name, index])) as Record<keyof LogRow, number>;

/** `quotaMax` of the contract, whose schemas are not loaded in this thread. */
const balanceMax = 9_000_000_000_000_000;

/** Where the units of a charge come from. */
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
  /** Writes what commands since the last flush add to roll-ups, users and channels; call before COMMIT. */
  flush(): void;
  /** Discards it; call after ROLLBACK. */
  discard(): void;
}

export function createSqliteMoney(db: DatabaseSync, node: number): SqliteMoney {
  const statements = prepareStatements(db);
  const counters = createPendingCounters(db);

  function hold(command: HoldCommand): string | number {
    const { walletId, tokenId, least = command.amount } = command;
    const result = reserve(command, command.amount);
    if (result === "held" || result === "wallet_in_debt" || least >= command.amount) return result;
    // Nothing was changed, and no other command runs between: what is available now can be set aside.
    const { available } = statements.available.get(walletId) as { available: number };
    const left = command.tokenIsUnlimited ? available : (statements.tokenLeft.get(tokenId) as { left: number }).left;
    const unspent = (command.budgets ?? []).flatMap((budget) => unspentOf(budget));
    const amount = Math.max(least, Math.min(command.amount, available, left, ...unspent));
    const partial = reserve(command, amount);
    return partial === "held" ? amount : partial;
  }

  function reserve(command: HoldCommand, amount: number): "held" | HoldRefusal {
    const { id, walletId, tokenId } = command;
    const tokenAmount = command.tokenIsUnlimited ? 0 : amount;
    // A key whose limit was lowered below what it holds covers no part of a call, not even none of it.
    const asksToken = !command.tokenIsUnlimited && command.amount > 0;
    if (statements.holdWallet.run(amount, walletId, amount).changes !== 1) {
      return statements.inDebt.get(walletId) ? "wallet_in_debt" : "insufficient_user_quota";
    }
    if (asksToken && statements.holdToken.run(tokenAmount, tokenId, tokenAmount).changes !== 1) {
      statements.unholdWallet.run(amount, walletId);
      return "pre_consume_token_quota_failed";
    }
    const { userId, leaseUntil, snapshot, budgets } = command;
    if (budgets && command.amount > 0) {
      const full = holdBudgets(budgets, amount);
      if (full) {
        statements.unholdWallet.run(amount, walletId);
        if (asksToken) statements.releaseToken.run(tokenAmount, tokenId);
        return `budget:${full.id}`;
      }
    }
    const named = budgets ? JSON.stringify(budgets) : null;
    statements.reserve.run(id, walletId, userId, tokenId, amount, tokenAmount, node, leaseUntil, snapshot, named);
    return "held";
  }

  /** What a hard budget has left; nothing for one that refuses no call. */
  function unspentOf({ id, start, max }: HeldBudget): number[] {
    if (max === null) return [];
    const counter = statements.counter.get(id, start) as { spent: number; held: number } | undefined;
    return [counter ? max - counter.spent - counter.held : max];
  }

  /** Holds on every hard budget. Returns the first one that does not cover it, and has then changed nothing. */
  function holdBudgets(budgets: readonly HeldBudget[], amount: number): HeldBudget | undefined {
    const hard = budgets.filter(({ max }) => max !== null);
    for (const [index, budget] of hard.entries()) {
      const { id, start, end, max } = budget;
      if (statements.holdBudget.run(id, start, end, amount, amount, max, max).changes === 1) continue;
      for (const held of hard.slice(0, index)) statements.unholdBudget.run(amount, held.id, held.start);
      return budget;
    }
    return undefined;
  }

  /** Ends the call's holds on its budgets. A budget of a virtual model's target is charged if this target served. */
  function endBudgets({ budgets, amount }: OpenReservation, charge: number, servedTarget: string | undefined): void {
    if (budgets === null) return;
    for (const { id, start, end, max, target } of JSON.parse(budgets) as HeldBudget[]) {
      const charged = target === null || target === servedTarget ? charge : 0;
      statements.chargeBudget.run(id, start, end, charged, max === null ? 0 : amount);
    }
  }

  function topUpHold({ id, amount }: TopUpCommand): string {
    const held = statements.reservation.get(id) as OpenReservation | undefined;
    if (!held) return "gone";
    if (statements.holdWallet.run(amount, held.wallet_id, amount).changes !== 1) return "insufficient_user_quota";
    const tokenAmount = held.token_amount > 0 ? amount : 0;
    if (tokenAmount > 0 && statements.holdToken.run(amount, held.token_id, amount).changes !== 1) {
      statements.unholdWallet.run(amount, held.wallet_id);
      return "pre_consume_token_quota_failed";
    }
    const full = held.budgets === null ? undefined : holdBudgets(JSON.parse(held.budgets) as HeldBudget[], amount);
    if (full) {
      statements.unholdWallet.run(amount, held.wallet_id);
      if (tokenAmount > 0) statements.releaseToken.run(amount, held.token_id);
      return `budget:${full.id}`;
    }
    statements.reserveMore.run(amount, tokenAmount, id);
    return "held";
  }

  function settle({ id, charge, log, trace, target }: PackedSettle): string {
    const held = statements.closeReservation.get(id) as OpenReservation | undefined;
    if (!held) return "already";
    const now = Date.now();
    const channelId = Number(log[columnIndex.channel_id]);
    const { taken, owed, lost } = chargeWallet(held, charge, id, now);
    statements.settleToken.run(held.token_amount, charge, charge, now, charge, held.token_id);
    const countsFor = [held.user_id, held.token_id, channelId, now] as const;
    if (taken > 0) statements.ledger.run(id, "charge", `wallet:${held.wallet_id}`, "revenue", taken, ...countsFor);
    if (owed > 0) statements.ledger.run(id, "debt", `debt:${held.wallet_id}`, "revenue", owed, ...countsFor);
    if (lost > 0) {
      statements.ledger.run(id, "shortfall", "shortfall", "revenue", lost, ...countsFor);
      const content = `${lost} units were written off: neither the hold nor the balance covered them`;
      log[columnIndex.content] = [log[columnIndex.content], content].filter((part) => part !== "").join("; ");
    }
    statements.log.run(...log);
    statements.trace.run(id, trace);
    counters.addCall(log, held.user_id, charge);
    endBudgets(held, charge, target);
    return lost > 0 ? "short" : "settled";
  }

  /**
   * Charges the wallet and releases the hold. What neither hold nor balance covers becomes debt, up to the amount of the hold; the
   * rest is lost to the operator.
   */
  function chargeWallet({ wallet_id, amount }: OpenReservation, charge: number, id: number, at: number): ChargeParts {
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

  /** What no running call holds pays the debt: the first act of every credit, and of everything else that frees units. */
  function payDebt(walletId: number, id: number, at: number): void {
    const paid = (statements.payableDebt.get(walletId) as { paid: number } | undefined)?.paid ?? 0;
    if (paid <= 0) return;
    statements.payDebt.run(paid, paid, walletId);
    statements.ledger.run(id, "debt_payment", `wallet:${walletId}`, `debt:${walletId}`, paid, null, null, null, at);
  }

  function release({ id }: ReleaseCommand): string {
    const held = statements.closeReservation.get(id) as OpenReservation | undefined;
    if (!held) return "already";
    chargeWallet(held, 0, id, Date.now());
    statements.releaseToken.run(held.token_amount, held.token_id);
    endBudgets(held, 0, undefined);
    return "released";
  }

  function progress({ leaseUntil, calls }: ProgressCommand): string {
    for (const [id, delivered] of calls) statements.progress.run(leaseUntil, delivered, id);
    return "noted";
  }

  function grant({ id, walletId, amount, at }: GrantCommand): string {
    if (amount === 0 || statements.granted.get(id)) return "already";
    if (statements.grantWallet.run(amount, walletId, amount).changes !== 1) return "insufficient_user_quota";
    const [debit, credit] = amount > 0 ? ["issuance", `wallet:${walletId}`] : [`wallet:${walletId}`, "issuance"];
    statements.ledger.run(id, "grant", debit, credit, Math.abs(amount), null, null, null, at);
    payDebt(walletId, id, at);
    return "granted";
  }

  function redeem({ id, codeId, quota, walletId, userId, at, idempotencyHash, log }: RedeemCommand): string {
    if (statements.useCode.run(at, userId, idempotencyHash, id, at, codeId, quota).changes !== 1)
      return statements.redeemed.get(id) ? "redeemed" : "gone";
    if (statements.payWallet.run(quota, walletId, quota, balanceMax).changes !== 1) {
      statements.unuseCode.run(codeId);
      return "wallet_full";
    }
    if (quota > 0)
      statements.ledger.run(id, "redemption", "issuance", `wallet:${walletId}`, quota, null, null, null, at);
    payDebt(walletId, id, at);
    statements.log.run(...packLog(log));
    return "redeemed";
  }

  return {
    run(command) {
      switch (command.verb) {
        case "hold":
          return hold(command);
        case "top_up_hold":
          return topUpHold(command);
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
    flush: counters.flush,
    discard: counters.forget,
  };
}

function prepareStatements(db: DatabaseSync) {
  return {
    holdWallet: db.prepare("update wallets set held = held + ? where id = ? and debt = 0 and balance - held >= ?"),
    unholdWallet: db.prepare("update wallets set held = held - ? where id = ?"),
    inDebt: db.prepare("select 1 from wallets where id = ? and debt > 0"),
    holdToken: db.prepare(
      "update tokens set held_quota = held_quota + ? where id = ? and remain_quota - held_quota >= ?",
    ),
    available: db.prepare("select balance - held as available from wallets where id = ?"),
    tokenLeft: db.prepare("select remain_quota - held_quota as left from tokens where id = ?"),
    reserve: db.prepare(
      `insert into reservations (id, wallet_id, user_id, token_id, amount, token_amount, node, lease_until, snapshot, progress, budgets)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, null, ?)`,
    ),
    counter: db.prepare("select spent, held from budget_counters where budget_id = ? and window_start = ?"),
    holdBudget: db.prepare(
      `insert into budget_counters (budget_id, window_start, window_end, held) select ?, ?, ?, ? where ? <= ?
       on conflict (budget_id, window_start) do update set held = held + excluded.held
       where spent + held + excluded.held <= ?`,
    ),
    unholdBudget: db.prepare("update budget_counters set held = held - ? where budget_id = ? and window_start = ?"),
    chargeBudget: db.prepare(
      `insert into budget_counters (budget_id, window_start, window_end, spent) values (?1, ?2, ?3, ?4)
       on conflict (budget_id, window_start) do update set spent = spent + excluded.spent, held = held - ?5`,
    ),
    reservation: db.prepare(
      "select wallet_id, user_id, token_id, amount, token_amount, budgets from reservations where id = ?",
    ),
    reserveMore: db.prepare(
      "update reservations set amount = amount + ?, token_amount = token_amount + ? where id = ?",
    ),
    closeReservation: db.prepare(
      "delete from reservations where id = ? returning wallet_id, user_id, token_id, amount, token_amount, budgets",
    ),
    wallet: db.prepare("select balance, held from wallets where id = ?"),
    settleWallet: db.prepare(
      "update wallets set balance = balance - ?, held = held - ? where id = ? and balance - (held - ?) >= ? returning debt",
    ),
    settleIntoDebt: db.prepare(
      "update wallets set balance = balance - ?, held = held - ?, debt = debt + ? where id = ?",
    ),
    payableDebt: db.prepare("select min(debt, balance - held) as paid from wallets where id = ?"),
    payDebt: db.prepare("update wallets set balance = balance - ?, debt = debt - ? where id = ?"),
    settleToken: db.prepare(
      `update tokens set held_quota = held_quota - ?,
         remain_quota = case when unlimited_quota = 1 then remain_quota else max(0, remain_quota - ?) end,
         used_quota = used_quota + ?, accessed_at = ?,
         status = case when unlimited_quota = 0 and status = 1 and remain_quota <= ? then 4 else status end
       where id = ?`,
    ),
    releaseToken: db.prepare("update tokens set held_quota = held_quota - ? where id = ?"),
    ledger: db.prepare(
      `insert into ledger (billing_id, kind, debit, credit, amount, user_id, token_id, channel_id, created_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    log: db.prepare(`insert into logs (${logColumns.join(", ")}) values (${logColumns.map(() => "?").join(", ")})`),
    trace: db.prepare("insert into traces (id, data) values (?, ?)"),
    progress: db.prepare("update reservations set lease_until = ?, progress = coalesce(?, progress) where id = ?"),
    granted: db.prepare("select 1 from ledger where billing_id = ? and kind = 'grant'"),
    grantWallet: db.prepare("update wallets set balance = balance + ?1 where id = ?2 and balance + ?3 >= held"),
    redeemed: db.prepare("select 1 from redemptions where billing_id = ?"),
    useCode: db.prepare(
      `update redemptions set
         status = 3, redeemed_at = ?, redeemed_by = ?, redeemed_once = ?, billing_id = ?, updated_at = ?
       where id = ? and status = 1 and quota = ?`,
    ),
    unuseCode: db.prepare(
      `update redemptions set
         status = 1, redeemed_at = null, redeemed_by = null, redeemed_once = null, billing_id = null
       where id = ?`,
    ),
    payWallet: db.prepare("update wallets set balance = balance + ? where id = ? and balance + ? <= ?"),
  } satisfies Record<string, StatementSync>;
}

/**
 * Many calls of one batch add to the same few rows. Calls of the same user, token, channel and model are summed first, and
 * every row is written once per batch.
 */
function createPendingCounters(db: DatabaseSync) {
  const columns = measureColumns.join(", ");
  const upserts = rollupTables.map(({ table, keys }) =>
    db.prepare(
      `insert into ${table} (${keys.join(", ")}, ${columns}) values (${[...keys, ...measureColumns].map(() => "?").join(", ")})
       on conflict (${keys.join(", ")}) do update set ${measureColumns.map((c) => `${c} = ${c} + excluded.${c}`).join(", ")}`,
    ),
  );
  const addToChannel = db.prepare("update channels set used_quota = used_quota + ? where id = ?");
  const addToUser = db.prepare(
    "update users set used_quota = used_quota + ?, request_count = request_count + ? where id = ?",
  );
  const pending = new Map<string, PendingCalls>();

  function add<Key>(
    sums: Map<Key, { keys: (string | number)[]; values: number[] }>,
    key: Key,
    keys: (string | number)[],
    values: number[],
  ): void {
    const known = sums.get(key);
    if (!known) sums.set(key, { keys, values: [...values] });
    else
      for (let index = 0; index < values.length; index += 1)
        known.values[index] = (known.values[index] ?? 0) + (values[index] ?? 0);
  }

  return {
    addCall(log: SQLInputValue[], userId: number, charge: number): void {
      const hour = hourOf(idTime(Number(log[columnIndex.id])));
      const key = `${hour} ${userId} ${log[columnIndex.token_id]} ${log[columnIndex.channel_id]} ${log[columnIndex.type]} ${log[columnIndex.model_name]}`;
      let calls = pending.get(key);
      if (!calls) {
        calls = {
          hour,
          userId,
          channelId: Number(log[columnIndex.channel_id]),
          tokenId: Number(log[columnIndex.token_id]),
          model: String(log[columnIndex.model_name]),
          charge: 0,
          charged: 0,
          sums: null,
        };
        pending.set(key, calls);
      }
      calls.charge += charge;
      if (charge > 0) calls.charged += 1;
      if (log[columnIndex.type] === 2)
        calls.sums = countCall(calls.sums, {
          failed: failedOutcomes.includes(String(log[columnIndex.outcome])),
          quota: Number(log[columnIndex.quota]),
          prompt: Number(log[columnIndex.prompt_tokens]),
          completion: Number(log[columnIndex.completion_tokens]),
          cached: Number(log[columnIndex.cached_prompt_tokens]),
          written: Number(log[columnIndex.cache_write_5m_tokens]) + Number(log[columnIndex.cache_write_1h_tokens]),
          elapsedMs: Number(log[columnIndex.elapsed_ms]),
          ttftMs: Number(log[columnIndex.ttft_ms]),
        });
    },
    flush(): void {
      const tables = rollupTables.map(() => new Map<string, { keys: (string | number)[]; values: number[] }>());
      const channels = new Map<number, { keys: (string | number)[]; values: number[] }>();
      const users = new Map<number, { keys: (string | number)[]; values: number[] }>();
      for (const calls of pending.values()) {
        if (calls.charge > 0) {
          add(channels, calls.channelId, [calls.channelId], [calls.charge]);
          add(users, calls.userId, [calls.userId], [calls.charge, calls.charged]);
        }
        if (!calls.sums) continue;
        for (const [index, keys] of rollupKeysOf(calls).entries()) {
          const table = tables[index];
          if (table) add(table, keys.join("\n"), keys, calls.sums);
        }
      }
      for (const [index, rows] of tables.entries())
        for (const { keys, values } of rows.values()) upserts[index]?.run(...keys, ...values);
      for (const { keys, values } of users.values()) addToUser.run(...values, ...keys);
      for (const { keys, values } of channels.values()) addToChannel.run(...values, ...keys);
      pending.clear();
    },
    forget: () => pending.clear(),
  };
}

interface PendingCalls extends RollupSubject {
  charge: number;
  /** Calls that cost something. */
  charged: number;
  sums: number[] | null;
}
