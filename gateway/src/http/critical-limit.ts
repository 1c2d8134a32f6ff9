/** The one tight bucket of tries that everything shares which a stranger may try: sign-in, registration, reset. */
import type { Counters, RateWindow } from "../limits/counters.ts";
import { sourceOf } from "./address.ts";
import type { Circumstances } from "./caller.ts";
import { takeTurn } from "./rate-limit.ts";

const tries = { limit: 20, windowMs: 20 * 60_000 };

type Where = Pick<Circumstances, "address">;

export function criticalLimit(counters: Counters) {
  const windowOf = ({ address }: Where): RateWindow => ({ ...tries, name: `critical ${sourceOf(address)}` });
  return {
    /** Counts a try, or refuses it. */
    take: (call: Where): Promise<void> => takeTurn(counters, windowOf(call)),
    /** Gives a try back that turned out to be harmless. */
    refund: (call: Where): void => counters.refund(windowOf(call)),
  };
}
export type CriticalLimit = ReturnType<typeof criticalLimit>;
