/** Freezes what a video costs on one channel, in each size that has a price of its own. Pure. */
import { freezePrice } from "../../money/prices/price.ts";
import { priceSizes } from "../../money/prices/video-price.ts";
import type { ChannelSnapshot } from "../routing/channel-table.ts";
import type { ChannelCandidate } from "../routing/choose-channels.ts";
import type { VideoPrices } from "./video-terms.ts";

/** `at`: milliseconds; prices may differ by the hour. */
export function buildVideoPrices(
  { channel, model, cost }: ChannelCandidate,
  { price }: Pick<ChannelSnapshot, "price">,
  at: number,
): VideoPrices {
  const { group_ratio, group } = cost.frozen;
  const sizes = priceSizes(channel.configs.get(cost.model)?.video ?? {});
  const inSize = (size: string) =>
    freezePrice(price(channel, model, group_ratio, at, `${size}/`).price, group_ratio, group);
  return {
    asked: cost.frozen,
    bySize: Object.fromEntries(sizes.map((size) => [size, inSize(size)])),
  };
}
