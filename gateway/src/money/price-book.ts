/**
 * Which price applies: the channel's `model_configs` entry for the model after mapping, then the book, then a visible
 * default. A member that an entry leaves out falls through to the next place.
 */
import { readFileSync } from "node:fs";
import { type Decimal, decimal, roundedHalfUp, times } from "./decimal.ts";
import { groupRatioOne, type Price } from "./price.ts";

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

interface PriceData {
  source: string;
  read_on: string;
  prices: { models: string[]; input: string; cached_input?: string; output: string; base_tier_only?: boolean }[];
}

export type PriceBook = ReadonlyMap<string, Price>;

/** Dollars per million tokens are millionths of a dollar per token: 10^6 picodollars. */
const perMillion = 1_000_000n;
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

export function readPriceBook(file: URL = new URL("./price-data.json", import.meta.url)): PriceBook {
  const { source, read_on, prices } = JSON.parse(readFileSync(file, "utf8")) as PriceData;
  const book = new Map<string, Price>();
  for (const { models, input, cached_input, output, base_tier_only } of prices) {
    const plain = picodollarsOf(input, perMillion);
    const rates = {
      input: plain,
      cache_read: cached_input === undefined ? plain : picodollarsOf(cached_input, perMillion),
      // OpenAI does not charge for writing its cache.
      cache_write_5m: plain,
      cache_write_1h: plain,
      output: picodollarsOf(output, perMillion),
    };
    const price = { rates, source, source_date: read_on, verified: base_tier_only !== true, max_tokens: 0 };
    for (const model of models) book.set(model, price);
  }
  return book;
}

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
export function configOf({
  rates,
  max_tokens,
}: Price): Required<Pick<ModelConfig, "ratio" | "completion_ratio" | "max_tokens">> {
  const ratio = Number(rates.input) / Number(perRatio);
  const completion_ratio = rates.input === 0n ? 1 : Number(rates.output) / Number(rates.input);
  return { ratio, completion_ratio, max_tokens };
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

const exactly = (value: number | string): Decimal => {
  const exact = decimal(value);
  if (!exact) throw new RangeError(`${value} is no price`);
  return exact;
};

const picodollarsOf = (value: string, unit: bigint): bigint => roundedHalfUp(exactly(value), unit);
const ratioRate = (ratio: number): bigint => roundedHalfUp(exactly(ratio), perRatio);

/** ratio × completion ratio × 2 as exact decimals, rounded once; a listed input rate takes the place of the ratio. */
function outputRate(ratio: number | undefined, completionRatio: number, input: bigint): bigint {
  if (ratio === undefined) return roundedHalfUp(times(exactly(completionRatio), one), input);
  return roundedHalfUp(times(exactly(ratio), exactly(completionRatio)), perRatio);
}

/** The listed relation of output to input, kept when a channel overrides the input alone. */
const scaled = (input: bigint, listedOutput: bigint, listedInput: bigint): bigint =>
  listedInput === 0n ? input : (input * listedOutput * 2n + listedInput) / (listedInput * 2n);
