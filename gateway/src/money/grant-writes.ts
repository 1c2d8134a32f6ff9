/**
 * The verb `grant` as statements of a batch, for a change of a balance that must commit together
 * with the rows that explain it (account, log, audit). They come first in the batch: wallets are
 * locked before users everywhere.
 */
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import { sql as raw } from "kysely";
import type { Database, Write } from "../storage/database.ts";

export interface GrantInput {
  /** A minted id, for the ledger entry and the log row. */
  id: number;
  wallet: Reference;
  /** Negative takes back, but never what running calls hold. */
  amount: number;
  at: number;
  /**
   * The balance that the amount was computed from; the statement misses when it differs, also where
   * nothing moves.
   */
  expectedBalance?: number | undefined;
  /** The code that a batch is refused with when the balance does not allow the change. */
  missed?: ErrorCode;
  /** An import carries the balance of another system as `opening`. */
  kind?: "grant" | "opening";
}

/**
 * The first statement updates the wallet: it misses when the balance does not allow the change. Of
 * a credit, the wallet's debt is paid at once.
 */
export function grantWrites({ sql }: Pick<Database, "sql">, grant: GrantInput): Write[] {
  const { id, wallet, amount, at, expectedBalance, kind = "grant" } = grant;
  if (amount === 0 && expectedBalance === undefined) return [];
  const [column, key] =
    wallet.id === undefined ? (["uuid", wallet.uuid] as const) : (["id", wallet.id] as const);
  const account = raw<string>`'wallet:' || wallets.id`;
  const issuance = raw<string>`'issuance'`;
  const [debit, credit] = amount > 0 ? [issuance, account] : [account, issuance];
  const entry = raw`
    insert into ledger (billing_id, kind, debit, credit, amount, created_at)
    select ${id}, ${kind}, ${debit}, ${credit}, ${Math.abs(amount)}, ${at}
    from wallets where ${raw.ref(column)} = ${key}`;
  const moved: Write = {
    query: sql
      .updateTable("wallets")
      .set({ balance: raw<number>`balance + ${amount}` })
      .where(column, "=", key)
      .where(raw<boolean>`balance + ${amount} >= held`)
      .where(raw<boolean>`balance + ${amount} <= ${raw.lit(quotaMax)}`)
      .$if(expectedBalance !== undefined, (query) =>
        query.where("balance", "=", expectedBalance ?? 0),
      ),
    rows: 1,
    ...(grant.missed && { missed: grant.missed }),
  };
  if (amount === 0) return [moved];
  return [
    moved,
    { query: { compile: () => entry.compile(sql) }, rows: 1 },
    ...(amount > 0 ? planDebtPayment({ sql }, grant) : []),
  ];
}

/**
 * `planDebtPayment` gives what no running call holds pays the wallet's debt: follows every credit.
 */
export function planDebtPayment(
  { sql }: Pick<Database, "sql">,
  { id, wallet, at }: Pick<GrantInput, "id" | "wallet" | "at">,
): Write[] {
  const [column, key] =
    wallet.id === undefined ? (["uuid", wallet.uuid] as const) : (["id", wallet.id] as const);
  const [debt, free] = [raw`debt`, raw`balance - held`];
  const payable = raw<number>`case when ${debt} < ${free} then ${debt} else ${free} end`;
  const payment = raw`
    insert into ledger (billing_id, kind, debit, credit, amount, created_at)
    select ${id}, 'debt_payment', 'wallet:' || wallets.id, 'debt:' || wallets.id, ${payable}, ${at}
    from wallets where ${raw.ref(column)} = ${key} and debt > 0 and balance > held`;
  return [
    { query: { compile: () => payment.compile(sql) } },
    {
      query: sql
        .updateTable("wallets")
        .set({ balance: raw<number>`balance - ${payable}`, debt: raw<number>`debt - ${payable}` })
        .where(column, "=", key)
        .where(raw<boolean>`debt > 0 and balance > held`),
    },
  ];
}
