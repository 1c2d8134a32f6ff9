/** Rows of balances, holds, codes and prices. */
import type { QuotaRequestKind } from "@tollgate/contract/accounts/quota-requests.ts";
import type { Generated } from "kysely";
import type { Millis, QuotaUnits } from "./column-types.ts";

/** `balance - held` is what can be spent; `held` is the sum of the wallet's open reservations. */
export interface WalletRow {
  id: Generated<number>;
  uuid: string;
  balance: Generated<QuotaUnits>;
  held: Generated<QuotaUnits>;
  /**
   * `debt` is what charges exceeded hold and balance by; every credit pays it first, and a wallet
   * in debt makes no call.
   */
  debt: Generated<QuotaUnits>;
  created_at: Millis;
}

/**
 * `LedgerRow` is one row moves `amount` from `debit` to `credit`: double entry by construction,
 * never updated or deleted.
 */
export interface LedgerRow {
  /**
   * The request's id for charges, a minted id for grants and redeemed codes. Unique together with
   * `kind`.
   */
  billing_id: number;
  kind:
    | "charge"
    | "debt"
    | "shortfall"
    | "debt_payment"
    | "debt_waiver"
    | "grant"
    | "adjustment"
    | "redemption"
    | "transfer"
    | "opening"
    | "opening_debt"
    | "opening_use";
  /**
   * `issuance`, `wallet:N`, `debt:N`, `revenue`, `shortfall`, or `carried`: what another system had
   * charged before an import.
   */
  debit: string;
  credit: string;
  amount: QuotaUnits;
  /**
   * `user_id` and the two ids after it say what a charge is counted under, so that counters can be
   * audited after logs are cleared. Null on grants.
   */
  user_id: number | null;
  token_id: number | null;
  channel_id: number | null;
  created_at: Millis;
}

/** An open hold. Settling or releasing deletes the row. */
export interface ReservationRow {
  /** The billing id: also the id of the future log row. */
  id: number;
  wallet_id: number;
  user_id: number;
  token_id: number;
  amount: QuotaUnits;
  /** Part of `amount` also held on the token (0 for unlimited tokens). */
  token_amount: QuotaUnits;
  node: number;
  lease_until: Millis;
  /**
   * JSON with what the sweeper needs to settle in place of the owning process: frozen price, names,
   * estimate.
   */
  snapshot: string;
  /** JSON of what was delivered so far, or null before the first byte. */
  progress: string | null;
  /** JSON list of `HeldBudget`: the budgets that the call counts for; null without any. */
  budgets: string | null;
}

/**
 * `QuotaRequestRow` is what an administrator wanted to issue above the limit; a decided request has
 * no row.
 */
export interface QuotaRequestRow {
  /** A time id. */
  id: number;
  /** The administrator. */
  user_id: number;
  kind: QuotaRequestKind;
  /** The uuid of the user or code; empty for new codes. */
  target_uuid: string;
  /** The name of the codes, or the remark of a grant. */
  name: string;
  /** `quota` is of the grant, or of each code. */
  quota: QuotaUnits;
  count: number;
  created_at: Millis;
}

export interface RedemptionsTable {
  id: Generated<number>;
  uuid: string;
  /** The creator. */
  user_id: number;
  name: string;
  /** The name that a program gave it. */
  external_id: Generated<string | null>;
  /** SHA-256 (hex) of the code. */
  key_hash: string;
  /** The code, sealed for administrators. */
  key_sealed: string;
  /** 1 unused, 2 disabled, 3 used: final. */
  status: number;
  quota: QuotaUnits;
  created_at: Millis;
  updated_at: Millis;
  /** The following columns are null until the code is used. */
  redeemed_at: Generated<Millis | null>;
  redeemed_by: Generated<number | null>;
  /**
   * SHA-256 (hex) of the `Idempotency-Key` of the redemption, so that a repeated call gets the same
   * reply.
   */
  redeemed_once: Generated<string | null>;
  /** The ledger entry that paid it, and the log row. */
  billing_id: Generated<number | null>;
}

export interface PriceRow {
  model_name: string;
  /** A `PriceEntry` as JSON. */
  entry: string;
  updated_at: Millis;
}

/** The price list that root compares with the prices in force: one row, from the migration on. */
export interface OfferedPricesRow {
  id: number;
  /** Read once a day; empty for none. */
  address: string;
  /** `source` is where the list comes from; empty before the first one. */
  source: string;
  /** `OfferedPrices` (catalogue/models/price-list-formats.ts) as JSON. */
  models: string;
  /** `set_aside` are those of the prices that root set aside. */
  set_aside: string;
  read_at: Millis;
  due_at: Millis;
  /** A `PriceListFailure` of the last attempt, or empty. */
  failure: string;
  /** `revision` is one more with each change of the row. */
  revision: number;
}
