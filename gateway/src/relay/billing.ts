/** What chat programs read as a balance: the billing addresses that OpenAI once had. */
import type { Database } from "../storage/database.ts";
import { authenticate, credentialOf } from "./authenticate.ts";
import type { Exchange } from "./exchange.ts";
import type { Caller } from "./keys.ts";
import type { RelayParts } from "./relay.ts";
import { denied } from "./relay-refusal.ts";

export interface Balance {
  /** Null where there is no limit. */
  remain: number | null;
  used: number;
}

export type ReadBalance = (caller: Caller, whose: "key" | "owner") => Promise<Balance>;

type Parts = Pick<RelayParts, "keys" | "settings" | "now" | "readBalance">;

const unitsPerDollar = 500_000;
/** What the compatible servers show for a key without a limit. */
const noLimit = 100_000_000;

export const balanceReader =
  ({ sql, read }: Pick<Database, "sql" | "read">): ReadBalance =>
  async (caller, whose) => {
    if (whose === "key") {
      const key = sql.selectFrom("tokens").select(["remain_quota", "used_quota"]).where("id", "=", caller.tokenId);
      const [row] = await read(key);
      return { remain: caller.isUnlimited ? null : (row?.remain_quota ?? 0), used: row?.used_quota ?? 0 };
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

export async function showSubscription(exchange: Exchange, parts: Parts): Promise<void> {
  const { caller, balance } = await balanceFor(exchange, parts);
  const limit = balance.remain === null ? noLimit : shown(balance.remain + balance.used, parts);
  send(exchange, {
    object: "billing_subscription",
    has_payment_method: true,
    soft_limit_usd: limit,
    hard_limit_usd: limit,
    system_hard_limit_usd: limit,
    access_until: Math.floor((caller.expiredAt ?? 0) / 1000),
  });
}

/** In cents, or in hundredths of a unit. */
export async function showUsage(exchange: Exchange, parts: Parts): Promise<void> {
  const { balance } = await balanceFor(exchange, parts);
  send(exchange, { object: "list", total_usage: shown(balance.used, parts) * 100 });
}

async function balanceFor(exchange: Exchange, parts: Parts): Promise<{ caller: Caller; balance: Balance }> {
  const credential = credentialOf(exchange.request.headers, parts.settings.keyPrefix);
  if (!credential) throw denied(401, "No API key was given; send it as Authorization: Bearer sk-…");
  const caller = await authenticate(credential, parts.keys, exchange.address, parts.now());
  const balance = await parts.readBalance(caller, parts.settings.showsKeyBalance() ? "key" : "owner");
  return { caller, balance };
}

const shown = (units: number, { settings }: Parts): number =>
  settings.isShownInCurrency() ? units / unitsPerDollar : units;

const send = (exchange: Exchange, body: unknown): void =>
  exchange.answer(200, "application/json; charset=utf-8", Buffer.from(JSON.stringify(body)));
