/**
 * Charges and debts of another system before an import, as statements of a batch: counters and
 * debts that the ledger proves from the first day on. The account `carried` stands for the other
 * system. Balances are carried by `grantWrites`.
 */
import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import { type RawBuilder, sql as raw } from "kysely";
import type { Database, Write } from "../storage/database.ts";
import { selectValuesTable } from "../storage/values-table.ts";

type Composer = Pick<Database, "sql">;

interface CarriedAmount {
  /** A minted id, for the ledger entry. */
  id: number;
  /** Units, never negative. */
  amount: number;
}

/**
 * `CarriedAmountOfRow` belongs to one row here, which is found by its uuid, because its id may not
 * exist before the batch runs.
 */
export interface CarriedAmountOfRow extends CarriedAmount {
  uuid: string;
}

const subjectColumn = { users: "user_id", tokens: "token_id", channels: "channel_id" } as const;

/** Adds to `used_quota` of each row what the other system had charged. */
export function planOpeningUseWrites(
  { sql }: Composer,
  subject: keyof typeof subjectColumn,
  uses: readonly CarriedAmountOfRow[],
  at: number,
): Write[] {
  const table = raw.table(subject);
  return planAmountWrites(sql, uses, {
    counted: (given) => raw`
      update ${table} set used_quota = used_quota + given.amount from ${given} where ${table}.uuid = given.uuid`,
    entries: (given) => raw`
      insert into ledger (billing_id, kind, debit, credit, amount, ${raw.ref(subjectColumn[subject])}, created_at)
      select given.id, 'opening_use', 'carried', 'carried', given.amount, ${table}.id, ${at}
      from ${given} join ${table} on ${table}.uuid = given.uuid`,
  });
}

/**
 * Balances of wallets that are new and owe nothing: a debt would have to be paid first
 * (`grantWrites`).
 */
export function planOpeningBalanceWrites(
  { sql }: Composer,
  balances: readonly CarriedAmountOfRow[],
  at: number,
): Write[] {
  return planAmountWrites(sql, balances, {
    counted: (given) => raw`
      update wallets set balance = balance + given.amount from ${given}
      where wallets.uuid = given.uuid and balance + given.amount <= ${raw.lit(quotaMax)}`,
    entries: (given) => raw`
      insert into ledger (billing_id, kind, debit, credit, amount, created_at)
      select given.id, 'opening', 'issuance', 'wallet:' || wallets.id, given.amount, ${at}
      from ${given} join wallets on wallets.uuid = given.uuid`,
  });
}

/**
 * A balance below zero is a debt here: the next credit pays it, and until then the wallet makes no
 * call.
 */
export function planOpeningDebtWrites(
  { sql }: Composer,
  debts: readonly CarriedAmountOfRow[],
  at: number,
): Write[] {
  return planAmountWrites(sql, debts, {
    counted: (given) => raw`
      update wallets set debt = debt + given.amount from ${given} where wallets.uuid = given.uuid`,
    entries: (given) => raw`
      insert into ledger (billing_id, kind, debit, credit, amount, created_at)
      select given.id, 'opening_debt', 'debt:' || wallets.id, 'carried', given.amount, ${at}
      from ${given} join wallets on wallets.uuid = given.uuid`,
  });
}

type StatementOfAmounts = (given: RawBuilder<unknown>) => RawBuilder<unknown>;

/** The two statements take all rows at once: one row at a time, an import is mostly round trips. */
function planAmountWrites(
  sql: Composer["sql"],
  amounts: readonly CarriedAmountOfRow[],
  { counted, entries }: { counted: StatementOfAmounts; entries: StatementOfAmounts },
): Write[] {
  const moved = amounts.filter(({ amount }) => amount !== 0);
  if (moved.length === 0) return [];
  const given = selectValuesTable("given", {
    id: { type: "bigint", values: moved.map(({ id }) => id) },
    uuid: { type: "text", values: moved.map(({ uuid }) => uuid) },
    amount: { type: "bigint", values: moved.map(({ amount }) => amount) },
  });
  return [counted, entries].map((statement) => ({
    query: { compile: () => statement(given).compile(sql) },
    rows: moved.length,
  }));
}

/**
 * A code that was redeemed in the other system, which paid it there. The redemption carries the
 * same id.
 */
export function planCarriedRedemption(
  { sql }: Composer,
  { id, amount, at }: CarriedAmount & { at: number },
): Write[] {
  if (amount === 0) return [];
  const accounts = {
    debit: "carried",
    credit: "carried",
    user_id: null,
    token_id: null,
    channel_id: null,
  };
  const entry = {
    billing_id: id,
    kind: "redemption" as const,
    amount,
    created_at: at,
    ...accounts,
  };
  return [{ query: sql.insertInto("ledger").values(entry), rows: 1 }];
}
