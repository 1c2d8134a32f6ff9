/** The charge for a call that ended so, and its price. Pure. */
import { addCallFee, charge, isUsed, type Usage } from "../money/prices/price.ts";
import type { CallResult } from "./answer/call-result.ts";
import type { ChannelPrice } from "./routing/channel-table.ts";
import type { ChannelCandidate } from "./routing/choose-channels.ts";
import { buildChargedPrice } from "./routing/cost-member-rules.ts";

export interface CallCharge {
  /** Quota units. */
  quota: number;
  /** `usage` has the fee for the call itself, where the price has one. */
  usage: Usage;
  cost: ChannelPrice;
  /** `unpriced` is what the provider served and the price does not know. */
  unpriced: readonly string[];
}

export function callCharge(
  { terms, cost: listed, channel }: Pick<ChannelCandidate, "terms" | "cost" | "channel">,
  { outcome, usage, served = {} }: Pick<CallResult, "outcome" | "usage" | "served">,
): CallCharge {
  const { cost, unpriced } = buildChargedPrice(
    terms ?? { listed, type: channel.type, members: [] },
    served,
  );
  // A client that left before the first content pays nothing.
  const isCharged = outcome === "success" || isUsed(usage);
  const used = isCharged ? addCallFee(usage, cost.price) : usage;
  return { quota: charge(cost.price, used, cost.frozen.group_ratio), usage: used, cost, unpriced };
}
