/**
 * What a call costs, in integers only. One quota unit is 2,000,000 picodollars (500,000 units to the dollar); a price
 * is picodollars per token; a charge is rounded up once, at the end.
 */

export const picodollarsPerUnit = 2_000_000n;
/** Group ratios are integer millionths: 1,000,000 is "as listed". */
export const groupRatioOne = 1_000_000;

/** Every token of a call lies in exactly one bucket. */
export const buckets = ["input", "cache_read", "cache_write_5m", "cache_write_1h", "output"] as const;
export type Bucket = (typeof buckets)[number];

/** Tokens per bucket. `input` is plain input: cached and written tokens are not in it. */
export type Usage = Record<Bucket, number>;

/** Picodollars per token, and where they come from. */
export interface Price {
  rates: Record<Bucket, bigint>;
  /** `channel 12`, `npm package …`, or `default price`. */
  source: string;
  /** The day on which the price was read, or empty. */
  source_date: string;
  /** Whether the price was read from a stated source; the default and base-tier-only prices are not. */
  verified: boolean;
  /** The most completion tokens that the model gives, 0 when unknown. */
  max_tokens: number;
}

export const noUsage: Usage = { input: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0, output: 0 };

/** Picodollars before the group ratio. */
export function picodollars(rates: Price["rates"], usage: Usage): bigint {
  let sum = 0n;
  for (const bucket of buckets) if (usage[bucket] > 0) sum += rates[bucket] * BigInt(usage[bucket]);
  return sum;
}

/** Quota units: Σ rate × tokens, times the group's ratio, rounded up once. */
export function charge(rates: Price["rates"], usage: Usage, groupRatio: number): number {
  const divisor = picodollarsPerUnit * BigInt(groupRatioOne);
  const scaled = picodollars(rates, usage) * BigInt(groupRatio);
  const units = (scaled + divisor - 1n) / divisor;
  if (units > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError(`a charge of ${units} units is out of range`);
  return Number(units);
}

/** The price as it is frozen with a call: JSON in the reservation and in the log row. Rates are decimal text. */
export interface FrozenPrice {
  rates: Partial<Record<Bucket, string>>;
  group_ratio: number;
  source: string;
  source_date: string;
  verified: boolean;
}

export function freeze(price: Price, groupRatio: number): FrozenPrice {
  const rates: FrozenPrice["rates"] = {};
  for (const bucket of buckets) if (price.rates[bucket] > 0n) rates[bucket] = String(price.rates[bucket]);
  const { source, source_date, verified } = price;
  return { rates, group_ratio: groupRatio, source, source_date, verified };
}

export function thaw({ rates }: FrozenPrice): Price["rates"] {
  const rate = (bucket: Bucket): bigint => BigInt(rates[bucket] ?? "0");
  return {
    input: rate("input"),
    cache_read: rate("cache_read"),
    cache_write_5m: rate("cache_write_5m"),
    cache_write_1h: rate("cache_write_1h"),
    output: rate("output"),
  };
}

/** The charge, line by line, so that anybody can check it: the lines times the ratio, rounded up, are the quota. */
export interface Explanation {
  lines: { bucket: Bucket; tokens: number; price_per_million: string; picodollars: string }[];
  group_ratio: string;
  total_picodollars: string;
  quota: number;
  source: string;
  source_date: string;
  verified: boolean;
}

export function explain(frozen: FrozenPrice, usage: Usage): Explanation {
  const rates = thaw(frozen);
  const { group_ratio, source, source_date, verified } = frozen;
  const scaled = picodollars(rates, usage) * BigInt(group_ratio);
  return {
    lines: buckets
      .filter((bucket) => usage[bucket] > 0)
      .map((bucket) => ({
        bucket,
        tokens: usage[bucket],
        price_per_million: dollarsPerMillion(rates[bucket]),
        picodollars: String(rates[bucket] * BigInt(usage[bucket])),
      })),
    group_ratio: fixedPoint(BigInt(group_ratio), 6),
    total_picodollars: String((scaled + BigInt(groupRatioOne) - 1n) / BigInt(groupRatioOne)),
    quota: charge(rates, usage, group_ratio),
    source,
    source_date,
    verified,
  };
}

/** Picodollars per token are millionths of a dollar per million tokens. */
export const dollarsPerMillion = (rate: bigint): string => fixedPoint(rate, 6);

function fixedPoint(value: bigint, places: number): string {
  const text = String(value).padStart(places + 1, "0");
  return `${text.slice(0, -places)}.${text.slice(-places)}`.replace(/\.?0+$/, "");
}
