/** Asks for the balance of one channel and writes it down. */
import type { Database } from "../storage/database.ts";
import type { AskBalance, BalanceAnswer } from "./ask-balance.ts";
import type { Channel, ChannelStore } from "./channel-store.ts";

export type UpdateBalance = (channel: Channel) => Promise<BalanceAnswer>;

export function updateBalanceWith(
  db: Database,
  channels: ChannelStore,
  ask: AskBalance,
  now: () => number,
): UpdateBalance {
  return async (channel) => {
    const answer = await ask(channel);
    if ("micros" in answer) await db.write([channels.balanced(channel, answer.micros, now())]);
    return answer;
  };
}
