/**
 * How far the hold of a running reply reaches, in completion tokens: computed once for each growth of the hold, so that a stream
 * compares two numbers at each event and no charge is computed there.
 */
import { charge, type Pricing, type Usage } from "./price.ts";

/** More than any model writes: a free answer is covered up to here. */
const reachMax = 10_000_000;
/** The share of the covered tokens from which on the hold grows. */
const growFromShare = 0.75;

export interface HoldReach {
  /** Completion tokens that the hold covers; the event that passes them is the last one. */
  tokens: number;
  /** From here on the hold should grow. */
  growFrom: number;
  /** Grows the hold; when it resolves, `tokens` says whether it did. Calls while it grows share its end. */
  grow(): Promise<void>;
}

/** The completion tokens that `amount` covers beside the other usage. */
export const coveredTokens = (pricing: Pricing, groupRatio: number, usage: Usage, amount: number): number =>
  largestThatFits(reachMax, (output) => charge(pricing, { ...usage, output }, groupRatio) <= amount);

export const growFrom = (tokens: number): number => Math.floor(tokens * growFromShare);

/** The largest whole number from 0 to `max` for which `fits` is true; it must be true up to some number and false above. */
export function largestThatFits(max: number, fits: (tokens: number) => boolean): number {
  if (fits(max)) return max;
  let [low, high] = [0, max];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
