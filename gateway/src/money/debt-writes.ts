/**
 * The waiver of a debt as statements of a batch, which commit together with the rows that explain
 * it.
 */
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import { sql as raw } from "kysely";
import type { Database, Write } from "../storage/database.ts";

export interface WaiverInput {
  /** A minted id, for the ledger entry and the log row. */
  id: number;
  walletId: number;
  /** The debt that was read. */
  amount: number;
  at: number;
  /** The code that a batch is refused with when less is owed by now. */
  missed: ErrorCode;
}

/** The operator bears the loss. The guard is in the first statement, which locks the wallet. */
export function planWaiverWrites({ sql }: Pick<Database, "sql">, waiver: WaiverInput): Write[] {
  const { id, walletId, amount, at, missed } = waiver;
  if (amount === 0) return [];
  return [
    {
      query: sql
        .updateTable("wallets")
        .set({ debt: raw<number>`debt - ${amount}` })
        .where("id", "=", walletId)
        .where("debt", ">=", amount),
      rows: 1,
      missed,
    },
    {
      query: sql.insertInto("ledger").values({
        billing_id: id,
        kind: "debt_waiver",
        debit: "shortfall",
        credit: `debt:${walletId}`,
        amount,
        user_id: null,
        token_id: null,
        channel_id: null,
        created_at: at,
      }),
      rows: 1,
    },
  ];
}
