/**
 * Computes charges, in integers only. One quota unit is 2,000,000 picodollars (500,000 units per
 * dollar). A price is in picodollars per token, or per item for what is not counted in tokens. A
 * charge is rounded up once, at the end.
 */
import {
  itemBuckets,
  mediaBuckets,
  textBuckets,
} from "@tollgate/contract/figures/usage-buckets.ts";

export const picodollarsPerUnit = 2_000_000n;
export const unitsPerDollar = 500_000;
/** Group ratios are integer millionths: 1,000,000 is the listed price. */
export const groupRatioOne = 1_000_000;

export const extraBuckets = [...mediaBuckets, ...itemBuckets] as const;
export const buckets = [...textBuckets, ...extraBuckets] as const;

export type TextBucket = (typeof textBuckets)[number];
export type ExtraBucket = (typeof extraBuckets)[number];
export type UsageBucket = TextBucket | ExtraBucket;

export type ExtraUsage = Partial<Record<ExtraBucket, number>>;
/**
 * Tokens or items per bucket. `input` is plain input, without tokens read from or written to a
 * cache.
 */
export type Usage = Record<TextBucket, number> & ExtraUsage;

/**
 * Picodollars per token or item. The rate of an extra bucket without one is derived from the others
 * (`chooseRate`).
 */
export type Rates = Record<TextBucket, bigint> & Partial<Record<ExtraBucket, bigint>>;

/** Different rates for the whole of a longer call. */
export interface PriceTier {
  /** The call has more prompt tokens than this, */
  above: number;
  /** and more completion tokens than this. */
  aboveOutput: number;
  rates: Rates;
}

export interface Pricing {
  rates: Rates;
  /** `tiers` go by rising thresholds; the last matching tier applies. */
  tiers?: readonly PriceTier[];
}

/** Different rates at some hours of the day, for calls of any length. */
export interface HourlyRates {
  /** Start minute of the UTC day, inclusive. */
  from: number;
  /** End minute, exclusive; on the next day when it is smaller than `from`. */
  to: number;
  /** Does not apply on Saturdays and Sundays (UTC). */
  exceptWeekends: boolean;
  rates: Rates;
}

/** Rates and their source. */
export interface Price extends Pricing {
  /**
   * `buying` is what the operator pays for the same call (money/prices/buying-price.ts); missing
   * where it is unknown.
   */
  buying?: Pricing;
  /** `hours` are the rates by time of day; the last of several that apply counts. */
  hours?: readonly HourlyRates[];
  /**
   * Picodollars for the call itself by the variant that it asks for, where its seller takes such a
   * fee.
   */
  callFees?: ReadonlyMap<string, bigint>;
  /** `heldBeside` is what a call uses besides, unasked: set aside with each hold. */
  heldBeside?: ExtraUsage;
  /** `channel 12`, `npm package …`, or `default price`. */
  source: string;
  /** The day on which the price was read, or empty. */
  source_date: string;
  /**
   * `verified` says whether the price comes from a named source; the default price and
   * approximations do not.
   */
  verified: boolean;
  /** Maximum number of completion tokens, 0 when unknown. */
  max_tokens: number;
  /** Tokens that the model can read at once; missing when unknown. */
  context_window?: number;
}

export const noUsage: Usage = {
  input: 0,
  cache_read: 0,
  cache_write_5m: 0,
  cache_write_1h: 0,
  output: 0,
};

/** Tokens written to the provider's cache. */
export const computeWrittenTokens = ({ cache_write_5m, cache_write_1h }: Usage): number =>
  cache_write_5m + cache_write_1h;

export const computeCachedTokens = ({
  cache_read,
  cache_read_audio = 0,
  cache_read_image = 0,
}: Usage): number => cache_read + cache_read_audio + cache_read_image;

export const promptTokens = (usage: Usage): number =>
  usage.input +
  computeCachedTokens(usage) +
  usage.cache_write_5m +
  usage.cache_write_1h +
  (usage.input_audio ?? 0) +
  (usage.input_image ?? 0);

export const computeCompletionTokens = ({
  output,
  output_audio = 0,
  output_image = 0,
  reasoning = 0,
}: Usage): number => output + output_audio + output_image + reasoning;

/**
 * `audioTokensPerSecond` is for audio without a price of its own: ten tokens per second, as
 * compatible servers compute it.
 */
const audioTokensPerSecond = 10n;
/**
 * `defaultItemRates` are for items without a listed price, in cents: 4 for an image, 1, 2.5, 0.25,
 * 0.2, 0.5, 3, 0.4 and 0.5 for the others.
 */
const defaultItemRates = {
  images: 40_000_000_000n,
  web_searches: 10_000_000_000n,
  map_requests: 25_000_000_000n,
  file_searches: 2_500_000_000n,
  search_units: 2_000_000_000n,
  code_runs: 5_000_000_000n,
  container_sessions: 30_000_000_000n,
  pages: 4_000_000_000n,
  annotated_pages: 5_000_000_000n,
};

/**
 * Picodollars per unit of a bucket. A model with free text is free for everything without a price
 * of its own.
 */
export function chooseRate(rates: Rates, bucket: UsageBucket): bigint {
  const stated = rates[bucket];
  if (stated !== undefined) return stated;
  switch (bucket) {
    case "cache_read_audio":
      return rates.input_audio ?? rates.cache_read;
    case "cache_read_image":
      return rates.input_image ?? rates.cache_read;
    case "output_audio":
    case "output_image":
    case "reasoning":
      return rates.output;
    case "seconds":
      return rates.input * audioTokensPerSecond;
    case "images":
    case "web_searches":
    case "map_requests":
    case "file_searches":
    case "search_units":
    case "code_runs":
    case "container_sessions":
    case "pages":
    case "annotated_pages":
      return rates.input === 0n ? 0n : defaultItemRates[bucket];
    case "calls":
    // Its searches are charged one by one.
    case "grounded_requests":
      return 0n;
    default:
      return rates.input;
  }
}

export function buildRates({ rates, tiers = [] }: Pricing, usage: Usage): Rates {
  if (tiers.length === 0) return rates;
  const prompt = promptTokens(usage);
  const completion = computeCompletionTokens(usage);
  return (
    tiers.findLast(({ above, aboveOutput }) => prompt > above && completion > aboveOutput)?.rates ??
    rates
  );
}

/**
 * The usage with the fee for the call itself, where the price has one. Without it, a call of which
 * nothing is charged is free.
 */
export function addCallFee(usage: Usage, { rates, tiers = [] }: Pricing): Usage {
  return hasCallFee(rates) || tiers.some((tier) => hasCallFee(tier.rates))
    ? { ...usage, calls: 1 }
    : usage;
}

const hasCallFee = ({ calls = 0n }: Rates): boolean => calls > 0n;

/**
 * `isFreeOfCharge` says whether nothing that a call may use costs anything, at any hour and length.
 */
export const isFreeOfCharge = ({ rates, tiers = [], hours = [], callFees }: Price): boolean =>
  [rates, ...tiers.map((tier) => tier.rates), ...hours.map((hour) => hour.rates)].every((stated) =>
    Object.values(stated).every((rate) => rate === 0n),
  ) &&
  (callFees === undefined || [...callFees.values()].every((fee) => fee === 0n));

export const isUsed = (usage: Usage): boolean => buckets.some((bucket) => (usage[bucket] ?? 0) > 0);

/** Picodollars before the group ratio. */
export function computePicodollars(pricing: Pricing, usage: Usage): bigint {
  const rates = buildRates(pricing, usage);
  let sum = 0n;
  for (const bucket of buckets) {
    const used = usage[bucket];
    if (used !== undefined && used > 0) sum += chooseRate(rates, bucket) * BigInt(used);
  }
  return sum;
}

const chargeDivisor = picodollarsPerUnit * BigInt(groupRatioOne);

/** Quota units: Σ rate × tokens, times the group's ratio, rounded up once. */
export const charge = (pricing: Pricing, usage: Usage, groupRatio: number): number =>
  computeUnits(computePicodollars(pricing, usage), groupRatio);

/**
 * Quota units for picodollars before the group's ratio, rounded up. Throws `RangeError` beyond what
 * a balance can hold.
 */
export function computeUnits(picos: bigint, groupRatio: number): number {
  const scaled = picos * BigInt(groupRatio);
  const units = (scaled + chargeDivisor - 1n) / chargeDivisor;
  if (units > BigInt(Number.MAX_SAFE_INTEGER))
    throw new RangeError(`a charge of ${units} units is out of range`);
  return Number(units);
}

type FrozenRates = Partial<Record<UsageBucket, string>>;

/** Rates are decimal text. */
interface FrozenPricing {
  rates: FrozenRates;
  tiers?: { above: number; above_output: number; rates: FrozenRates }[];
}

/** The price frozen with a call, as JSON in the reservation and the log row. */
export interface FrozenPrice extends FrozenPricing {
  /** `buying` is what the operator pays; for administrators alone. */
  buying?: FrozenPricing;
  group_ratio: number;
  /** `group` says whose ratio it is, where the key names groups: without it, the user's group. */
  group?: string;
  source: string;
  source_date: string;
  verified: boolean;
  /** `usage` is in a log row: the usage of the buckets without a column. */
  usage?: ExtraUsage;
}

export function freezePrice(price: Price, groupRatio: number, group?: string): FrozenPrice {
  const { source, source_date, verified, buying } = price;
  return {
    ...frozenPricing(price),
    ...(buying && { buying: frozenPricing(buying) }),
    group_ratio: groupRatio,
    ...(group !== undefined && { group }),
    source,
    source_date,
    verified,
  };
}

function frozenPricing({ rates, tiers = [] }: Pricing): FrozenPricing {
  return {
    rates: freezeRates(rates),
    ...(tiers.length > 0 && {
      tiers: tiers.map(({ above, aboveOutput, rates: higher }) => ({
        above,
        above_output: aboveOutput,
        rates: freezeRates(higher),
      })),
    }),
  };
}

/** Text buckets with rate 0 are left out; of the others, an explicit 0 is kept. */
function freezeRates(rates: Rates): FrozenRates {
  const frozen: FrozenRates = {};
  for (const bucket of textBuckets) if (rates[bucket] > 0n) frozen[bucket] = String(rates[bucket]);
  for (const bucket of extraBuckets)
    if (rates[bucket] !== undefined) frozen[bucket] = String(rates[bucket]);
  return frozen;
}

export function thawPrice({ rates, tiers = [] }: FrozenPricing): Pricing {
  return {
    rates: thawRates(rates),
    tiers: tiers.map(({ above, above_output, rates: higher }) => ({
      above,
      aboveOutput: above_output,
      rates: thawRates(higher),
    })),
  };
}

function thawRates(frozen: FrozenRates): Rates {
  const text = (bucket: TextBucket): bigint => BigInt(frozen[bucket] ?? "0");
  const rates: Rates = {
    input: text("input"),
    cache_read: text("cache_read"),
    cache_write_5m: text("cache_write_5m"),
    cache_write_1h: text("cache_write_1h"),
    output: text("output"),
  };
  for (const bucket of extraBuckets)
    if (frozen[bucket] !== undefined) rates[bucket] = BigInt(frozen[bucket]);
  return rates;
}

/** The usage beside text that is above 0. */
export function pickUsedExtras(usage: ExtraUsage): ExtraUsage {
  const extras: ExtraUsage = {};
  for (const bucket of extraBuckets) {
    const used = usage[bucket] ?? 0;
    if (used > 0) extras[bucket] = used;
  }
  return extras;
}

/** `readExtraUsage` does the same of a call, for its log row; undefined when there is none. */
export function readExtraUsage(usage: Usage): ExtraUsage | undefined {
  const extras = pickUsedExtras(usage);
  return Object.keys(extras).length > 0 ? extras : undefined;
}

/**
 * The frozen price for the log row: with the extra usage and its derived rates, so that later
 * defaults do not change them.
 */
export function buildLoggedPrice(frozen: FrozenPrice, usage: Usage): FrozenPrice {
  const extras = readExtraUsage(usage);
  if (!extras) return frozen;
  const rates = buildRates(thawPrice(frozen), usage);
  const { tiers, ...withoutTiers } = frozen;
  const stated = { ...rates };
  for (const bucket of extraBuckets)
    if (extras[bucket] !== undefined) stated[bucket] = chooseRate(rates, bucket);
  return { ...withoutTiers, rates: freezeRates(stated), usage: extras };
}

/**
 * The charge line by line, so that it can be verified: the sum of the lines times the ratio,
 * rounded up, is the quota.
 */
export interface ChargeExplanation {
  lines: { bucket: UsageBucket; tokens: number; price_per_million: string; picodollars: string }[];
  group_ratio: string;
  /** Only of a key that names groups: the one whose ratio it is. */
  group?: string;
  total_picodollars: string;
  quota: number;
  source: string;
  source_date: string;
  verified: boolean;
}

export function explainCharge(frozen: FrozenPrice, usage: Usage): ChargeExplanation {
  const pricing = thawPrice(frozen);
  const rates = buildRates(pricing, usage);
  const { group_ratio, group, source, source_date, verified } = frozen;
  const scaled = computePicodollars(pricing, usage) * BigInt(group_ratio);
  return {
    lines: buckets.flatMap((bucket) => {
      const tokens = usage[bucket] ?? 0;
      const rate = chooseRate(rates, bucket);
      if (tokens === 0) return [];
      return [
        {
          bucket,
          tokens,
          price_per_million: readDollarsPerMillion(rate),
          picodollars: String(rate * BigInt(tokens)),
        },
      ];
    }),
    group_ratio: formatFixedPoint(BigInt(group_ratio), 6),
    ...(group !== undefined && { group }),
    total_picodollars: String((scaled + BigInt(groupRatioOne) - 1n) / BigInt(groupRatioOne)),
    quota: charge(pricing, usage, group_ratio),
    source,
    source_date,
    verified,
  };
}

/** Picodollars per token are millionths of a dollar per million tokens. */
export const readDollarsPerMillion = (rate: bigint): string => formatFixedPoint(rate, 6);

function formatFixedPoint(value: bigint, places: number): string {
  const text = String(value).padStart(places + 1, "0");
  return `${text.slice(0, -places)}.${text.slice(-places)}`.replace(/\.?0+$/, "");
}
