/**
 * What another system had charged or was owed before an import, as statements of a batch: counters and debts that the ledger
 * proves from the first day on. The account `carried` stands for the other system. Balances are carried by `grantWrites`.
 */
import { sql as raw } from "kysely";
import type { Database, Write } from "../storage/database.ts";

type Composer = Pick<Database, "sql">;

/** Whose counter: the row is found by its uuid, because its id may not exist before the batch runs. */
export interface CarriedUse {
  table: "users" | "tokens" | "channels";
  uuid: string;
}

interface CarriedAmount {
  /** A minted id, for the ledger entry. */
  id: number;
  /** Units, never negative. */
  amount: number;
  at: number;
}

const subjectColumn = { users: "user_id", tokens: "token_id", channels: "channel_id" } as const;

/** Adds to `used_quota` what the other system had charged. */
export function openingUseWrites({ sql }: Composer, use: CarriedUse, { id, amount, at }: CarriedAmount): Write[] {
  if (amount === 0) return [];
  const table = raw.table(use.table);
  const counted = raw`update ${table} set used_quota = used_quota + ${amount} where uuid = ${use.uuid}`;
  const entry = raw`
    insert into ledger (billing_id, kind, debit, credit, amount, ${raw.ref(subjectColumn[use.table])}, created_at)
    select ${id}, 'opening_use', 'carried', 'carried', ${amount}, id, ${at} from ${table} where uuid = ${use.uuid}`;
  return [counted, entry].map((statement) => ({ query: { compile: () => statement.compile(sql) }, rows: 1 }));
}

/** A balance below zero is a debt here: the next credit pays it, and until then the wallet makes no call. */
export function openingDebtWrites({ sql }: Composer, walletUuid: string, { id, amount, at }: CarriedAmount): Write[] {
  if (amount === 0) return [];
  const owed = raw`update wallets set debt = debt + ${amount} where uuid = ${walletUuid}`;
  const entry = raw`
    insert into ledger (billing_id, kind, debit, credit, amount, created_at)
    select ${id}, 'opening_debt', 'debt:' || wallets.id, 'carried', ${amount}, ${at} from wallets where uuid = ${walletUuid}`;
  return [owed, entry].map((statement) => ({ query: { compile: () => statement.compile(sql) }, rows: 1 }));
}

/** A code that was redeemed in the other system, which paid it there. The redemption carries the same id. */
export function carriedRedemption({ sql }: Composer, { id, amount, at }: CarriedAmount): Write[] {
  if (amount === 0) return [];
  const accounts = { debit: "carried", credit: "carried", user_id: null, token_id: null, channel_id: null };
  const entry = { billing_id: id, kind: "redemption" as const, amount, created_at: at, ...accounts };
  return [{ query: sql.insertInto("ledger").values(entry), rows: 1 }];
}
