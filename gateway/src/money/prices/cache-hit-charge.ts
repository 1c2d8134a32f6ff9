/** The charge for an answer from the response cache. Pure. */
import { groupRatioOne } from "./price.ts";

/**
 * The share of what the answer first cost, in quota units and rounded up once. `hitRatio` is from 0
 * to 1 with at most six decimals, so that its millionths are an integer.
 */
export function computeCacheHitCharge(firstCharge: number, hitRatio: number): number {
  const one = BigInt(groupRatioOne);
  const scaled = BigInt(firstCharge) * BigInt(Math.round(hitRatio * groupRatioOne));
  return Number((scaled + one - 1n) / one);
}
