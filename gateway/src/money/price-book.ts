/**
 * Which price applies: the channel's `model_configs` entry for the model after mapping, then the book, then a visible
 * default. A member that an entry leaves out falls through to the next place.
 */
import { type Decimal, decimal, exactly, roundedHalfUp, times } from "./decimal.ts";
import { groupRatioOne, type Price } from "./price.ts";
import { bookOf, readPriceLists } from "./price-lists.ts";

/** One entry of a channel's `model_configs`: ratios as the one-api family writes them (ratio 1 is 2 dollars per million). */
export interface ModelConfig {
  ratio?: number;
  completion_ratio?: number;
  /** Quota units per cached token: 0 or absent means as plain input, negative means free. */
  cached_input_ratio?: number;
  cache_write_5m_ratio?: number;
  cache_write_1h_ratio?: number;
  max_tokens?: number;
}

export type PriceBook = ReadonlyMap<string, Price>;

/** A ratio is quota units per token: 2 × 10^6 picodollars. */
const perRatio = 2_000_000n;
const one: Decimal = { digits: 1n, scale: 0 };

/** Ratio 1.25 for input and output alike, as the one-api family charges models it does not know. */
export const defaultPrice: Price = {
  rates: {
    input: 2_500_000n,
    cache_read: 2_500_000n,
    cache_write_5m: 2_500_000n,
    cache_write_1h: 2_500_000n,
    output: 2_500_000n,
  },
  source: "default price",
  source_date: "",
  verified: false,
  max_tokens: 0,
};

export const readPriceBook = (): PriceBook => bookOf(readPriceLists());

/** The price of `model` on a channel; `config` is the channel's entry for it, if any. */
export function priceFor(model: string, book: PriceBook, config: ModelConfig | undefined, channel: string): Price {
  const listed = book.get(model) ?? defaultPrice;
  const max_tokens = config?.max_tokens || listed.max_tokens;
  if (config?.ratio === undefined && config?.completion_ratio === undefined) return { ...listed, max_tokens };

  const input = config.ratio === undefined ? listed.rates.input : ratioRate(config.ratio);
  const output =
    config.completion_ratio === undefined
      ? scaled(input, listed.rates.output, listed.rates.input)
      : outputRate(config.ratio, config.completion_ratio, input);
  const cached = (ratio: number | undefined, bucket: "cache_read" | "cache_write_5m" | "cache_write_1h"): bigint => {
    if (ratio === undefined) return config.ratio === undefined ? listed.rates[bucket] : input;
    if (ratio < 0) return 0n;
    return ratio === 0 ? input : ratioRate(ratio);
  };
  return {
    rates: {
      input,
      cache_read: cached(config.cached_input_ratio, "cache_read"),
      cache_write_5m: cached(config.cache_write_5m_ratio, "cache_write_5m"),
      cache_write_1h: cached(config.cache_write_1h_ratio, "cache_write_1h"),
      output,
    },
    source: `model_configs of ${channel}`,
    source_date: "",
    verified: true,
    max_tokens,
  };
}

/** A price as the family's ratios, for `default-pricing`: the inverse of what `model_configs` means. */
export function configOf({ rates, max_tokens }: Price): ModelConfig {
  const ratioOf = (rate: bigint): number => Number(rate) / Number(perRatio);
  const cached = (rate: bigint): number => (rate === 0n ? -1 : ratioOf(rate));
  const { input, cache_read, cache_write_5m, cache_write_1h, output } = rates;
  return {
    ratio: ratioOf(input),
    completion_ratio: input === 0n ? 1 : Number(output) / Number(input),
    ...(cache_read !== input && { cached_input_ratio: cached(cache_read) }),
    ...(cache_write_5m !== input && { cache_write_5m_ratio: cached(cache_write_5m) }),
    ...(cache_write_1h !== input && { cache_write_1h_ratio: cached(cache_write_1h) }),
    max_tokens,
  };
}

/** A group's ratio as integer millionths; 1 for groups that the option does not name. */
export function groupRatioOf(group: string, ratios: Readonly<Record<string, number>>): number {
  const ratio = Object.hasOwn(ratios, group) ? ratios[group] : undefined;
  const exact = ratio === undefined ? undefined : decimal(ratio);
  return exact ? Number(roundedHalfUp(exact, BigInt(groupRatioOne))) : groupRatioOne;
}

/** As the compatible servers charge: the cheapest group of the channel, whoever calls. */
export function lowestRatioOf(groups: Iterable<string>, ratios: Readonly<Record<string, number>>): number {
  const all = [...groups].map((group) => groupRatioOf(group, ratios));
  return all.length === 0 ? groupRatioOne : Math.min(...all);
}

const ratioRate = (ratio: number): bigint => roundedHalfUp(exactly(ratio), perRatio);

/** ratio × completion ratio × 2 as exact decimals, rounded once; a listed input rate takes the place of the ratio. */
function outputRate(ratio: number | undefined, completionRatio: number, input: bigint): bigint {
  if (ratio === undefined) return roundedHalfUp(times(exactly(completionRatio), one), input);
  return roundedHalfUp(times(exactly(ratio), exactly(completionRatio)), perRatio);
}

/** The listed relation of output to input, kept when a channel overrides the input alone. */
const scaled = (input: bigint, listedOutput: bigint, listedInput: bigint): bigint =>
  listedInput === 0n ? input : (input * listedOutput * 2n + listedInput) / (listedInput * 2n);
