import type { Database } from "../../storage/database.ts";
import type { CallerFunds, CallerIdentity } from "../admission/caller-parts.ts";

export interface KeyBalance {
  /** Null without a limit. */
  remain: number | null;
  used: number;
}

/**
 * `ReadBalance` is what is left of a key, or of the wallet that pays for it; what was used of a
 * team's is not told.
 */
export type ReadBalance = (
  caller: CallerIdentity & CallerFunds,
  scope: "key" | "owner",
) => Promise<KeyBalance>;

export const buildBalanceReader =
  ({ sql, read }: Pick<Database, "sql" | "read">): ReadBalance =>
  async (caller, scope) => {
    if (scope === "key") {
      const key = sql
        .selectFrom("tokens")
        .select(["remain_quota", "used_quota"])
        .where("id", "=", caller.tokenId);
      const [row] = await read(key);
      return {
        remain: caller.isUnlimited ? null : (row?.remain_quota ?? 0),
        used: row?.used_quota ?? 0,
      };
    }
    if (caller.team) {
      const wallet = sql.selectFrom("wallets").select("balance").where("id", "=", caller.walletId);
      const [paying] = caller.team.seesBalance ? await read(wallet) : [];
      return { remain: paying?.balance ?? null, used: 0 };
    }
    const [row] = await read(
      sql
        .selectFrom("users")
        .innerJoin("wallets", "wallets.id", "users.wallet_id")
        .select(["wallets.balance", "users.used_quota"])
        .where("users.id", "=", caller.userId),
    );
    return { remain: row?.balance ?? 0, used: row?.used_quota ?? 0 };
  };
