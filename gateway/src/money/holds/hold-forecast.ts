/**
 * The answer that a hold would get now. The guard that decides is in the statement of the hold; a
 * test compares the two.
 */
import type { Database } from "../../storage/database.ts";
import type { HeldBudget, HoldRefusal } from "../../storage/money-commands.ts";

/** `AvailableFunds` are what a hold can take from, in units. */
export interface AvailableFunds {
  /** `available` is the wallet's, without the part that running calls hold. */
  available: number;
  debt: number;
  /** `tokenAvailable` is the same of the token; null for one without a limit. */
  tokenAvailable: number | null;
}

/** `UnspentBudget` is what a hard budget has left. */
export interface UnspentBudget {
  id: number;
  unspent: number;
}

/** `readUnspent` gives the rest of the hard ones among them, in their order. */
export async function readUnspent(
  budgets: readonly HeldBudget[],
  readCounters: (
    windows: readonly { id: number; start: number }[],
  ) => Promise<readonly CounterSums[]>,
): Promise<UnspentBudget[]> {
  const counters = await readCounters(budgets);
  return budgets.flatMap(({ id, max }) => {
    if (max === null) return [];
    const {
      spent = 0,
      held = 0,
      granted = 0,
    } = counters.find(({ budget_id }) => budget_id === id) ?? {};
    return [{ id, unspent: max + granted - spent - held }];
  });
}

interface CounterSums {
  budget_id: number;
  spent: number;
  held: number;
  granted: number;
}

/** `readFunds` gives the wallet alone without `tokenId`. */
export async function readFunds(
  { sql, read }: Pick<Database, "sql" | "read">,
  walletId: number,
  tokenId: number | undefined,
): Promise<AvailableFunds> {
  const [[wallet], [token]] = await Promise.all([
    read(sql.selectFrom("wallets").select(["balance", "held", "debt"]).where("id", "=", walletId)),
    tokenId === undefined
      ? []
      : read(
          sql
            .selectFrom("tokens")
            .select(["unlimited_quota", "remain_quota", "held_quota"])
            .where("id", "=", tokenId),
        ),
  ]);
  return {
    available: wallet ? wallet.balance - wallet.held : 0,
    debt: wallet?.debt ?? 0,
    tokenAvailable:
      token && token.unlimited_quota !== 1 ? token.remain_quota - token.held_quota : null,
  };
}

/**
 * `holdForecast` answers as the money verb `hold`: "held", fewer units than wanted but at least
 * `least`, or the refusal.
 */
export function holdForecast(
  { available, debt, tokenAvailable }: AvailableFunds,
  { amount, least }: { amount: number; least: number },
  budgets: readonly UnspentBudget[] = [],
): "held" | number | HoldRefusal {
  if (debt > 0) return "wallet_in_debt";
  const ofWallet = Math.min(amount, available);
  if (ofWallet < least) return "insufficient_user_quota";
  const ofKey =
    tokenAvailable === null || amount === 0 ? ofWallet : Math.min(ofWallet, tokenAvailable);
  if (ofKey < least) return "pre_consume_token_quota_failed";
  let granted = ofKey;
  for (const { id, unspent } of amount === 0 ? [] : budgets) {
    granted = Math.min(granted, unspent);
    if (granted < least) return `budget:${id}`;
  }
  return granted < amount ? granted : "held";
}
