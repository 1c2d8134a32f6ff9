/** Prices of video: dollars for each second, by its size. Pure. */
import { multiply, requireDecimal, roundHalfUp } from "../decimal.ts";
import { findListedVariant } from "./listed-variant.ts";

/** `video` of a channel's `model_configs` entry. */
export interface VideoPrice {
  per_second_usd?: number;
  /** The size of a video whose request names none: `1280x720`. */
  base_resolution?: string;
  /** `resolution_multipliers` go by size; a size that is not listed has the multiplier 1. */
  resolution_multipliers?: Record<string, number>;
}

const perDollar = 1_000_000_000_000n;

/**
 * `inSize` gives what is listed for a size, upright or lying: both have the same number of pixels.
 */
export const inSize = <Value>(
  listed: Readonly<Record<string, Value>>,
  size: string,
): Value | undefined =>
  findListedVariant(listed, size) ??
  findListedVariant(listed, size.replace(/^(\d+)([x×*])(\d+)$/i, "$3$2$1"));

/** Picodollars for a second of video; undefined where the entry states no price. */
export function findVideoSecondRate(
  { per_second_usd, base_resolution = "", resolution_multipliers = {} }: VideoPrice,
  size: string,
): bigint | undefined {
  if (per_second_usd === undefined) return undefined;
  const factor = inSize(resolution_multipliers, size || base_resolution) ?? 1;
  return roundHalfUp(multiply(requireDecimal(per_second_usd), requireDecimal(factor)), perDollar);
}

/** The sizes with a price of their own. */
export const priceSizes = ({ resolution_multipliers = {} }: VideoPrice): string[] =>
  Object.keys(resolution_multipliers);
