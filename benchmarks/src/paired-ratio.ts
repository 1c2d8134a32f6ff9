/** Ratios of two servers that were measured in the same rounds. */
import { median } from "./benchmark-report.ts";

/** The chance that the true median lies above the bound is at most this. */
const doubt = 0.05;

export interface PairedRatio {
  median: number;
  /**
   * `lower` and `upper` are one-sided 95 % bounds of the median by order statistics; the smallest
   * and the largest ratio where there are too few rounds for one.
   */
  lower: number;
  upper: number;
}

/** `computePairedRatio` pairs by round, so that what slows both down does not count. */
export function computePairedRatio(
  costs: readonly number[],
  baseCosts: readonly number[],
): PairedRatio {
  return boundRatios(costs.map((cost, round) => cost / (baseCosts[round] ?? Number.NaN)));
}

/** `boundRatios` takes one ratio of each round. */
export function boundRatios(ratios: readonly number[]): PairedRatio {
  const sorted = [...ratios].sort((a, b) => a - b);
  const rank = findBoundRank(sorted.length);
  return {
    median: median(sorted),
    lower: sorted.at(-1 - rank) ?? Number.NaN,
    upper: sorted[rank] ?? Number.NaN,
  };
}

/** The mean of the middle half: a neighbour's burst falls into few values, a drift into many. */
export function meanOfMiddle(values: readonly number[]): number {
  const cut = Math.floor(values.length / 4);
  const middle = [...values].sort((a, b) => a - b).slice(cut, values.length - cut);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

/**
 * The rank, from 0, of the smallest value that exceeds the median with 95 %: each value is above it
 * with a half.
 */
function findBoundRank(count: number): number {
  let ways = 1;
  let below = 0;
  for (let rank = 0; rank < count; rank += 1) {
    below += ways / 2 ** count;
    if (below >= 1 - doubt) return rank;
    ways = (ways * (count - rank)) / (rank + 1);
  }
  return count - 1;
}
