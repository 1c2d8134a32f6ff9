/** The statements of the money verbs on SQLite. The guard of each verb is in its statement. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { logColumns } from "./packed-log.ts";

export function prepareMoneyStatements(db: DatabaseSync) {
  return {
    holdWallet: db.prepare(
      "update wallets set held = held + ? where id = ? and debt = 0 and balance - held >= ?",
    ),
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
    nameBudgets: db.prepare("update reservations set budgets = ? where id = ?"),
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
    log: db.prepare(
      `insert into logs (${logColumns.join(", ")}) values (${logColumns.map(() => "?").join(", ")})`,
    ),
    /** Rows of calls have no event: theirs is inserted without the column. */
    tellEvent: db.prepare("update logs set event = ? where id = ?"),
    logged: db.prepare("select 1 from logs where id = ?"),
    trace: db.prepare("insert into traces (id, data) values (?, ?)"),
    progress: db.prepare(
      "update reservations set lease_until = ?, progress = coalesce(?, progress) where id = ?",
    ),
    granted: db.prepare("select 1 from ledger where billing_id = ? and kind = 'grant'"),
    grantWallet: db.prepare(
      "update wallets set balance = balance + ?1 where id = ?2 and balance + ?3 >= held",
    ),
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
    payWallet: db.prepare(
      "update wallets set balance = balance + ? where id = ? and balance + ? <= ?",
    ),
  } satisfies Record<string, StatementSync>;
}
