/**
 * Wallets that pay for nothing, known before a call is read. What a wallet covers, the hold alone
 * decides.
 */
import type { Database } from "../../storage/database.ts";
import type { FundsRefusal } from "../../storage/money-commands.ts";

/**
 * A wallet that had something is not looked at again for so long: it may be used up a few calls
 * later than it is.
 */
const filledForMs = 5_000;
const filledMax = 10_000;

export interface EmptyWallets {
  /**
   * `refusalOf` says why the wallet pays for nothing: a balance of 0, or a debt. At once for one
   * that had something moments ago.
   */
  refusalOf(walletId: number): FundsRefusal | undefined | Promise<FundsRefusal | undefined>;
}

export function createEmptyWallets(
  { sql, read }: Pick<Database, "sql" | "read">,
  now: () => number,
): EmptyWallets {
  /**
   * Until when a wallet counts as filled. One that is empty is looked up at each call, so that
   * added quota counts at once.
   */
  const filledUntil = new Map<number, number>();

  async function lookUp(walletId: number): Promise<FundsRefusal | undefined> {
    const [wallet] = await read(
      sql.selectFrom("wallets").select(["balance", "debt"]).where("id", "=", walletId),
    );
    if (wallet && wallet.debt > 0) return "wallet_in_debt";
    if (!wallet || wallet.balance <= 0) return "insufficient_user_quota";
    filledUntil.delete(walletId);
    if (filledUntil.size >= filledMax) filledUntil.delete(filledUntil.keys().next().value ?? 0);
    filledUntil.set(walletId, now() + filledForMs);
    return undefined;
  }

  return {
    refusalOf: (walletId) =>
      (filledUntil.get(walletId) ?? 0) > now() ? undefined : lookUp(walletId),
  };
}
