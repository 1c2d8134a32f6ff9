/**
 * Selects the price of a call: the channel's `model_configs` entry for the model after mapping,
 * then the price book, then a visible default. A member that is missing in one falls through to the
 * next.
 */
import { type ModelPrices, modelPrices } from "@tollgate/contract/catalogue/model-prices.ts";
import * as z from "zod/mini";
import { type Decimal, multiply, parseDecimal, requireDecimal, roundHalfUp } from "../decimal.ts";
import { findListedVariant } from "./listed-variant.ts";
import { buildFlatPrice, priceAsStated } from "./operator-prices.ts";
import {
  type ExtraBucket,
  groupRatioOne,
  type Price,
  type PriceTier,
  type Rates,
} from "./price.ts";
import { buildPriceBook, readPriceLists } from "./price-lists.ts";
import { priceWithCallFee } from "./tool-fees.ts";
import { findVideoSecondRate, type VideoPrice } from "./video-price.ts";

/** Ratios as the one-api family defines them (ratio 1 is 2 dollars per million tokens). */
interface Ratios {
  ratio?: number;
  completion_ratio?: number;
  /**
   * Quota units per cached token: 0 or absent means the price of plain input, negative means free.
   */
  cached_input_ratio?: number;
  cache_write_5m_ratio?: number;
  cache_write_1h_ratio?: number;
}

interface ConfiguredTier extends Ratios {
  /** `input_token_threshold` is the number of prompt tokens from which on it applies. */
  input_token_threshold?: number;
  /** `output_token_threshold` is the same of completion tokens. */
  output_token_threshold?: number;
}

/** Audio: tokens as multiples of the text price, or seconds in dollars or tokens. */
interface AudioPrice {
  prompt_ratio?: number;
  /** `completion_ratio` is of audio output, as a multiple of the price of audio input. */
  completion_ratio?: number;
  prompt_tokens_per_second?: number;
  usd_per_second?: number;
}

/**
 * Images: dollars each, times the multipliers of size and quality; in prompts a multiple of the
 * text price.
 */
interface ImagePrice {
  price_per_image_usd?: number;
  prompt_ratio?: number;
  default_size?: string;
  default_quality?: string;
  size_multipliers?: Record<string, number>;
  quality_multipliers?: Record<string, number>;
  /** `quality_size_multipliers` go by quality, then size; takes precedence over the two others. */
  quality_size_multipliers?: Record<string, Record<string, number>>;
}

/** `ModelConfig` is one entry of a channel's `model_configs`. */
export interface ModelConfig extends Ratios {
  /** `prices` are in dollars, for every bucket; they go before the ratios. */
  prices?: ModelPrices;
  /** `buying_prices` are what the operator pays, in dollars (money/prices/buying-price.ts). */
  buying_prices?: ModelPrices;
  max_tokens?: number;
  tiers?: readonly ConfiguredTier[];
  audio?: AudioPrice;
  image?: ImagePrice;
  video?: VideoPrice;
}

/**
 * The configured entries without invalid members: one wrong member must not disable the channel.
 */
export function parseModelConfigs(
  json: Readonly<Record<string, unknown>>,
): Map<string, ModelConfig> {
  const entries = Object.entries(json).filter(([, config]) => isObjectOrArray(config));
  return new Map(entries.map(([model, config]) => [model, parseModelConfig(config as object)]));
}

function parseModelConfig(config: object): ModelConfig {
  if (!("prices" in config || "buying_prices" in config)) return pickNumbers(config) as ModelConfig;
  const { prices, buying_prices, ...ratios } = config as Record<string, unknown>;
  return {
    ...(pickNumbers(ratios) as ModelConfig),
    ...parseStatedPrices("prices", prices),
    ...parseStatedPrices("buying_prices", buying_prices),
  };
}

function parseStatedPrices(
  name: "prices" | "buying_prices",
  value: unknown,
): Pick<ModelConfig, typeof name> {
  const stated = z.safeParse(modelPrices, value);
  return stated.success ? { [name]: stated.data } : {};
}

const isObjectOrArray = (value: unknown): value is object =>
  typeof value === "object" && value !== null;
/** `mayBeNegative` names the members in which a negative value means free. */
const mayBeNegative = /^cache/;
/** Members whose value is a size or a quality. */
const isSizeName = /^(default_|base_resolution$)/;

function pickNumbers(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.filter(isObjectOrArray).map((part) => pickNumbers(part));
  if (isObjectOrArray(value)) {
    const members = Object.entries(value).map(
      ([key, part]) => [key, pickNumbers(part, key)] as const,
    );
    return Object.fromEntries(members.filter(([, part]) => part !== undefined));
  }
  if (typeof value === "string") return isSizeName.test(name) ? value : undefined;
  const isPrice =
    typeof value === "number" && Number.isFinite(value) && (value >= 0 || mayBeNegative.test(name));
  return isPrice ? value : undefined;
}

export type PriceBook = ReadonlyMap<string, Price>;

/** A ratio is quota units per token: 2 × 10^6 picodollars. */
const perRatio = 2_000_000n;
const perDollar = 1_000_000_000_000n;
const decimalOne: Decimal = { digits: 1n, scale: 0 };

/** Ratio 1.25 for input and output, as the one-api family charges for unknown models. */
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

export const readPriceBook = (): PriceBook => buildPriceBook(readPriceLists());

/**
 * The price of `model` on a channel; `config` is the channel's entry for it, if any. `variant` is
 * the size and quality of an image, such as `1024x1792/hd`, the size of a video, or how much a call
 * asks to be searched.
 */
export function findPrice(
  model: string,
  book: PriceBook,
  config: ModelConfig | undefined,
  channel: string,
  variant = "",
): Price {
  const listed = priceWithCallFee(book.get(model) ?? defaultPrice, variant);
  if (!config) return listed;
  const source = `model_configs of ${channel}`;
  const byRatios = priceByRatios(listed, config, source, variant);
  if (!config.prices) return byRatios;
  const isKnown = byRatios.source !== defaultPrice.source;
  return priceAsStated(
    isKnown ? byRatios : buildFlatPrice(byRatios, config.prices),
    config.prices,
    source,
  );
}

function priceByRatios(listed: Price, config: ModelConfig, source: string, variant: string): Price {
  const max_tokens = config.max_tokens || listed.max_tokens;
  const isTextPriced = config.ratio !== undefined || config.completion_ratio !== undefined;
  const extras = {
    ...buildAudioRates(config, listed.rates),
    ...buildImageRates(config, listed.rates, variant),
    ...buildVideoRates(config, variant),
  };
  if (!isTextPriced && Object.keys(extras).length === 0 && !config.tiers)
    return { ...listed, max_tokens };

  const { tiers: listedTiers, hours: listedHours = [], ...rest } = listed;
  // Overridden text prices make the listed prices for audio, images, longer prompts and other hours
  // invalid.
  const text = isTextPriced ? buildTextRates(config, listed.rates) : listed.rates;
  const rates = { ...text, ...extras };
  const tiers = config.tiers
    ? listTiers(config.tiers, config, rates)
    : isTextPriced
      ? undefined
      : listedTiers;
  const hours = isTextPriced || config.tiers ? [] : listedHours;
  return {
    ...rest,
    rates,
    ...(tiers && tiers.length > 0 && { tiers }),
    ...(hours.length > 0 && {
      hours: hours.map((at) => ({ ...at, rates: { ...at.rates, ...extras } })),
    }),
    source,
    source_date: "",
    verified: true,
    max_tokens,
  };
}

/** The five text rates of an entry; missing ones come from the listed price. */
function buildTextRates(config: Ratios, listed: Rates): Rates {
  const input = config.ratio === undefined ? listed.input : computeRatioRate(config.ratio);
  const output =
    config.completion_ratio === undefined
      ? scaleOutput(input, listed.output, listed.input)
      : computeOutputRate(config.ratio, config.completion_ratio, input);
  const cached = (
    ratio: number | undefined,
    bucket: "cache_read" | "cache_write_5m" | "cache_write_1h",
  ): bigint => {
    if (ratio === undefined) return config.ratio === undefined ? listed[bucket] : input;
    if (ratio < 0) return 0n;
    return ratio === 0 ? input : computeRatioRate(ratio);
  };
  return {
    input,
    cache_read: cached(config.cached_input_ratio, "cache_read"),
    cache_write_5m: cached(config.cache_write_5m_ratio, "cache_write_5m"),
    cache_write_1h: cached(config.cache_write_1h_ratio, "cache_write_1h"),
    output,
  };
}

/** A tier overrides members of the entry that it belongs to. */
function listTiers(tiers: readonly ConfiguredTier[], base: Ratios, rates: Rates): PriceTier[] {
  return tiers
    .map((tier) => ({
      above: (tier.input_token_threshold ?? 0) - 1,
      aboveOutput: (tier.output_token_threshold ?? 0) - 1,
      rates: { ...rates, ...buildTextRates({ ...base, ...tier }, rates) },
    }))
    .sort((a, b) => a.above - b.above || a.aboveOutput - b.aboveOutput);
}

type ExtraRates = Partial<Record<ExtraBucket, bigint>>;

function buildAudioRates({ audio, ratio }: ModelConfig, listed: Rates): ExtraRates {
  if (!audio) return {};
  const text = ratio === undefined ? listed.input : computeRatioRate(ratio);
  const audioRate =
    audio.prompt_ratio === undefined ? text : multiplyRate(text, audio.prompt_ratio);
  const rates: ExtraRates = {};
  if (audio.prompt_ratio !== undefined) rates.input_audio = audioRate;
  if (audio.completion_ratio !== undefined)
    rates.output_audio = multiplyRate(audioRate, audio.completion_ratio);
  if (audio.usd_per_second !== undefined)
    rates.seconds = roundHalfUp(requireDecimal(audio.usd_per_second), perDollar);
  else if (audio.prompt_tokens_per_second !== undefined)
    rates.seconds = multiplyRate(audioRate, audio.prompt_tokens_per_second);
  return rates;
}

function buildImageRates(
  { image, ratio }: ModelConfig,
  listed: Rates,
  variant: string,
): ExtraRates {
  if (!image) return {};
  const rates: ExtraRates = {};
  const text = ratio === undefined ? listed.input : computeRatioRate(ratio);
  if (image.prompt_ratio !== undefined) rates.input_image = multiplyRate(text, image.prompt_ratio);
  if (image.price_per_image_usd !== undefined) {
    const factor = multiply(
      requireDecimal(image.price_per_image_usd),
      buildMultiplier(image, variant),
    );
    rates.images = roundHalfUp(factor, perDollar);
  }
  return rates;
}

function buildVideoRates({ video }: ModelConfig, variant: string): ExtraRates {
  const seconds = video && findVideoSecondRate(video, variant.split("/", 1)[0] ?? "");
  return seconds === undefined ? {} : { seconds };
}

function buildMultiplier(image: ImagePrice, variant: string): Decimal {
  const [requestedSize = "", requestedQuality = ""] = variant.split("/");
  const size = requestedSize || (image.default_size ?? "");
  const quality = requestedQuality || (image.default_quality ?? "");
  const both = findListedVariant(findListedVariant(image.quality_size_multipliers, quality), size);
  if (both !== undefined) return requireDecimal(both);
  const [bySize = 1, byQuality = 1] = [
    findListedVariant(image.size_multipliers, size),
    findListedVariant(image.quality_multipliers, quality),
  ];
  return multiply(requireDecimal(bySize), requireDecimal(byQuality));
}

const multiplyRate = (rate: bigint, factor: number): bigint =>
  roundHalfUp(requireDecimal(factor), rate);

/**
 * A price as ratios, for `default-pricing`: the inverse of `model_configs`. It cannot express
 * searches, image output tokens, reasoning with a price of its own, cached audio and images, and
 * hours.
 */
export function buildModelConfig({ rates, tiers = [], max_tokens }: Price): ModelConfig {
  const audio = buildAudioConfig(rates);
  return {
    ...buildRatios(rates),
    max_tokens,
    ...(Object.keys(audio).length > 0 && { audio }),
    ...(rates.input_image !== undefined && {
      image: { prompt_ratio: computeQuotient(rates.input_image, rates.input) },
    }),
    ...(tiers.length > 0 && {
      tiers: tiers.map(({ above, rates: higher }) => ({
        ...buildRatios(higher),
        input_token_threshold: above + 1,
      })),
    }),
  };
}

const computeQuotient = (a: bigint, b: bigint): number => (b === 0n ? 1 : Number(a) / Number(b));

function buildRatios({ input, cache_read, cache_write_5m, cache_write_1h, output }: Rates): Ratios {
  const ratioOf = (rate: bigint): number => Number(rate) / Number(perRatio);
  const cached = (rate: bigint): number => (rate === 0n ? -1 : ratioOf(rate));
  return {
    ratio: ratioOf(input),
    completion_ratio: computeQuotient(output, input),
    ...(cache_read !== input && { cached_input_ratio: cached(cache_read) }),
    ...(cache_write_5m !== input && { cache_write_5m_ratio: cached(cache_write_5m) }),
    ...(cache_write_1h !== input && { cache_write_1h_ratio: cached(cache_write_1h) }),
  };
}

const buildAudioConfig = ({ input, input_audio, output_audio, seconds }: Rates): AudioPrice => ({
  ...(input_audio !== undefined && { prompt_ratio: computeQuotient(input_audio, input) }),
  ...(output_audio !== undefined && {
    completion_ratio: computeQuotient(output_audio, input_audio ?? input),
  }),
  ...(seconds !== undefined && { usd_per_second: Number(seconds) / Number(perDollar) }),
});

/** Ratios that were computed, by the object that they come from: each call asks for one. */
const knownRatios = new WeakMap<object, Map<string, number>>();

/**
 * A group's ratio as integer millionths; 1 for groups that the option does not contain. `ratios`
 * does not change.
 */
export function readGroupRatio(group: string, ratios: Readonly<Record<string, number>>): number {
  let known = knownRatios.get(ratios);
  if (!known) {
    known = new Map(
      Object.entries(ratios).map(([name, ratio]) => [name, computeExactRatio(ratio)]),
    );
    knownRatios.set(ratios, known);
  }
  return known.get(group) ?? groupRatioOne;
}

function computeExactRatio(ratio: number): number {
  const exact = parseDecimal(ratio);
  return exact ? Number(roundHalfUp(exact, BigInt(groupRatioOne))) : groupRatioOne;
}

/**
 * The ratio of the channel's cheapest group, independent of the user, as compatible servers charge.
 */
export function computeLowestGroupRatio(
  groups: Iterable<string>,
  ratios: Readonly<Record<string, number>>,
): number {
  const all = [...groups].map((group) => readGroupRatio(group, ratios));
  return all.length === 0 ? groupRatioOne : Math.min(...all);
}

const computeRatioRate = (ratio: number): bigint => roundHalfUp(requireDecimal(ratio), perRatio);

/**
 * ratio × completion ratio × 2 as exact decimals, rounded once; without a ratio, the listed input
 * rate is used.
 */
function computeOutputRate(
  ratio: number | undefined,
  completionRatio: number,
  input: bigint,
): bigint {
  if (ratio === undefined)
    return roundHalfUp(multiply(requireDecimal(completionRatio), decimalOne), input);
  return roundHalfUp(multiply(requireDecimal(ratio), requireDecimal(completionRatio)), perRatio);
}

/** Keeps the listed ratio of output to input when a channel overrides only the input. */
const scaleOutput = (input: bigint, listedOutput: bigint, listedInput: bigint): bigint =>
  listedInput === 0n ? input : (input * listedOutput * 2n + listedInput) / (listedInput * 2n);
