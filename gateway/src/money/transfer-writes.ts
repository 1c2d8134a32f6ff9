/**
 * The verb `transfer` as statements of a batch: units move from one wallet to another, and nothing
 * is issued. They commit together with the rows that explain them, and come first in the batch.
 */
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import { sql as raw } from "kysely";
import type { Database, Write } from "../storage/database.ts";
import { planDebtPayment } from "./grant-writes.ts";

export interface TransferInput {
  /** A minted id, for the ledger entry and the log rows. */
  id: number;
  fromWalletId: number;
  toWalletId: number;
  /** `amount` is at least 1. */
  amount: number;
  at: number;
  /**
   * The code that a batch is refused with when the wallet owes something, or running calls hold too
   * much of it.
   */
  missed: ErrorCode;
  /** The code that a batch is refused with when the other wallet cannot hold so much. */
  full: ErrorCode;
}

/**
 * The guards are in the updates. Two transfers between the same wallets lock them in one order,
 * whatever their direction.
 */
export function planTransferWrites(
  { sql }: Pick<Database, "sql">,
  transfer: TransferInput,
): Write[] {
  const { id, fromWalletId, toWalletId, amount, at, missed, full } = transfer;
  if (fromWalletId === toWalletId || amount < 1)
    throw new Error("a transfer moves units to another wallet");
  const debit: Write = {
    query: sql
      .updateTable("wallets")
      .set({ balance: raw<number>`balance - ${amount}` })
      .where("id", "=", fromWalletId)
      .where("debt", "=", 0)
      .where(raw<boolean>`balance - held >= ${amount}`),
    rows: 1,
    missed,
  };
  const credit: Write = {
    query: sql
      .updateTable("wallets")
      .set({ balance: raw<number>`balance + ${amount}` })
      .where("id", "=", toWalletId)
      .where(raw<boolean>`balance + ${amount} <= ${raw.lit(quotaMax)}`),
    rows: 1,
    missed: full,
  };
  return [
    ...(fromWalletId < toWalletId ? [debit, credit] : [credit, debit]),
    {
      query: sql.insertInto("ledger").values({
        billing_id: id,
        kind: "transfer",
        debit: `wallet:${fromWalletId}`,
        credit: `wallet:${toWalletId}`,
        amount,
        user_id: null,
        token_id: null,
        channel_id: null,
        created_at: at,
      }),
      rows: 1,
    },
    ...planDebtPayment({ sql }, { id, wallet: { id: toWalletId, uuid: undefined }, at }),
  ];
}
