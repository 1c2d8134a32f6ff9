/** Fetches the balance of one channel and stores it. */
import type { Database } from "../../storage/database.ts";
import type { ChannelRow, ChannelStore } from "./channel-store.ts";
import type { BalanceResult, FetchBalance } from "./fetch-balance.ts";

export type UpdateBalance = (channel: ChannelRow) => Promise<BalanceResult>;

export function createUpdateBalance(
  db: Database,
  channels: ChannelStore,
  fetchBalance: FetchBalance,
  now: () => number,
): UpdateBalance {
  return async (channel) => {
    const result = await fetchBalance(channel);
    if ("micros" in result) await db.write([channels.balanced(channel, result.micros, now())]);
    return result;
  };
}
