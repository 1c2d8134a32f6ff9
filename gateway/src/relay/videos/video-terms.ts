/**
 * The terms with which a video was accepted: enough to charge it by any node, at any time. Pure.
 */
import type { CallSnapshot } from "../../money/call-log-row.ts";
import { callCost } from "../../money/prices/buying-price.ts";
import {
  addCallFee,
  charge,
  type FrozenPrice,
  noUsage,
  thawPrice,
  type Usage,
} from "../../money/prices/price.ts";
import { inSize } from "../../money/prices/video-price.ts";
import { computeChannelUnits } from "../../storage/money-commands.ts";
import type { TracedStart } from "../call-recorder.ts";
import { unstatedSeconds, type VideoMeasures } from "../formats/videos.ts";

/** The price of a video on one channel, frozen when it was asked for. */
export interface VideoPrices {
  /** `asked` is for the size that was asked for. */
  asked: FrozenPrice;
  /**
   * `bySize` is for the sizes that have a price of their own: the provider may make another one.
   */
  bySize: Readonly<Record<string, FrozenPrice>>;
}

export interface VideoTerms extends VideoPrices {
  /** `snapshot` is for the log row. */
  snapshot: CallSnapshot;
  tokenId: number;
  group: string;
  channelName: string;
  /** `model` is as the provider knows it. */
  model: string;
  /** `target` is the model of a virtual one that was chosen. */
  target?: string;
  /** `seconds` are what was asked for; without `seconds` where the request states none. */
  seconds?: number;
  size: string;
  /** `isDistrusted` says whether more seconds than were asked for are not believed. */
  isDistrusted: boolean;
  hasBudgets: boolean;
  /** Milliseconds until the provider had taken the request. */
  elapsedMs: number;
  retries: number;
  /** The accounts that were asked to make it; missing in videos of before. */
  traced?: TracedStart;
}

/** A video costs by the second, or by the call. */
export const isPricedByVideo = ({ rates }: FrozenPrice): boolean =>
  rates.seconds !== undefined || BigInt(rates.calls ?? "0") > 0n;

export interface VideoCharge {
  units: number;
  usage: Usage;
  price: FrozenPrice;
  seconds: number;
}

/** `priceSeconds` gives what so many seconds cost: a whole number, rounded up before. */
function priceSeconds(price: FrozenPrice, seconds: number): VideoCharge {
  const pricing = thawPrice(price);
  const counted = price.rates.seconds === undefined ? noUsage : { ...noUsage, seconds };
  const usage = addCallFee(counted, pricing);
  return { units: charge(pricing, usage, price.group_ratio), usage, price, seconds };
}

/** Units that cover the video in the dearest size that the request allows. */
export const computeHeldUnits = (prices: VideoPrices, measures: VideoMeasures): number =>
  Math.max(...listCharges(prices, measures).map(({ units }) => units));

/** `computeUnitsOnChannel` computes the same for the budgets of its channel. */
export const computeUnitsOnChannel = (prices: VideoPrices, measures: VideoMeasures): number =>
  Math.max(
    ...listCharges(prices, measures).map(({ units, price, usage }) =>
      computeChannelUnits(units, callCost(price, usage)),
    ),
  );

function listCharges(
  { asked, bySize }: VideoPrices,
  { seconds, size }: VideoMeasures,
): VideoCharge[] {
  const prices = size === "" ? [asked, ...Object.values(bySize)] : [asked];
  return prices.map((price) => priceSeconds(price, seconds ?? unstatedSeconds));
}

/**
 * The provider's last word is charged; what it does not say, or names without a price of its own,
 * is charged as it was asked for.
 */
export function buildVideoCharge(
  terms: Pick<VideoTerms, "asked" | "bySize" | "seconds" | "isDistrusted">,
  made: VideoMeasures,
): VideoCharge {
  const asked = terms.seconds ?? unstatedSeconds;
  const told = made.seconds ?? asked;
  const seconds = terms.isDistrusted ? Math.min(told, asked) : told;
  return priceSeconds(inSize(terms.bySize, made.size) ?? terms.asked, seconds);
}
