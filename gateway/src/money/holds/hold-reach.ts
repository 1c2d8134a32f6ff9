/**
 * The reach of a running reply's hold, in completion tokens: computed once for each growth of the
 * hold, so that a stream compares two numbers at each event and no charge is computed there.
 */
import {
  charge,
  chooseRate,
  computePicodollars,
  groupRatioOne,
  type Pricing,
  picodollarsPerUnit,
  type Usage,
} from "../prices/price.ts";

/** More than any model writes: a free answer is covered up to here. */
const reachMax = 10_000_000;
/** The share of the covered tokens from which on the hold grows. */
const growFromShare = 0.75;

export interface HoldReach {
  /** Completion tokens that the hold covers; the event that passes them is the last one. */
  tokens: number;
  /** `growFrom` comes from here on the hold should grow. */
  growFrom: number;
  /**
   * Grows the hold; when it resolves, `tokens` says whether it did. Calls while it grows share its
   * end.
   */
  grow(): Promise<void>;
}

/** The completion tokens that `amount` covers beside the other usage. */
export function computeCoveredTokens(
  pricing: Pricing,
  groupRatio: number,
  usage: Usage,
  amount: number,
): number {
  if (pricing.tiers !== undefined && pricing.tiers.length > 0) {
    return findLargestThatFits(
      reachMax,
      (output) => charge(pricing, { ...usage, output }, groupRatio) <= amount,
    );
  }
  // Without tiers a charge is a straight line: a search takes 25 charges, 10 µs for each stream.
  const before = computePicodollars(pricing, { ...usage, output: 0 }) * BigInt(groupRatio);
  const left = BigInt(amount) * picodollarsPerUnit * BigInt(groupRatioOne) - before;
  const perToken = chooseRate(pricing.rates, "output") * BigInt(groupRatio);
  if (left < 0n) return 0;
  return perToken === 0n ? reachMax : Math.min(reachMax, Number(left / perToken));
}

export const growFrom = (tokens: number): number => Math.floor(tokens * growFromShare);

/**
 * The largest whole number from 0 to `max` for which `fits` is true; it must be true up to some
 * number and false above.
 */
export function findLargestThatFits(max: number, fits: (tokens: number) => boolean): number {
  return fits(max) ? max : searchLargest(0, max, fits);
}

/** `low` fits, `high` does not. */
function searchLargest(low: number, high: number, fits: (tokens: number) => boolean): number {
  if (high - low <= 1) return low;
  const middle = Math.floor((low + high) / 2);
  return fits(middle) ? searchLargest(middle, high, fits) : searchLargest(low, middle, fits);
}
