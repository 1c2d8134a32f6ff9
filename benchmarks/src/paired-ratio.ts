/** Ratios of two servers that were measured in the same rounds. */
import { median } from "./benchmark-report.ts";

/** The chance that the true median lies above the bound is at most this. */
const doubt = 0.05;

export interface PairedRatio {
  median: number;
  /**
   * `upper` is the one-sided 95 % bound of the median by order statistics; the largest ratio where
   * there are too few rounds for one.
   */
  upper: number;
}

/** `computePairedRatio` pairs by round, so that what slows both down does not count. */
export function computePairedRatio(
  costs: readonly number[],
  baseCosts: readonly number[],
): PairedRatio {
  const ratios = costs
    .map((cost, round) => cost / (baseCosts[round] ?? Number.NaN))
    .sort((a, b) => a - b);
  return { median: median(ratios), upper: ratios[findBoundRank(ratios.length)] ?? Number.NaN };
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
