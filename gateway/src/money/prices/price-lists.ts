/** The bundled price lists, by seller; scripts/update-prices.ts writes the file. */

import { readFileSync } from "node:fs";
import { itemBuckets } from "@tollgate/contract/figures/usage-buckets.ts";
import { requireDecimal, roundHalfUp } from "../decimal.ts";
import { type ExtraBucket, extraBuckets, type Price, type Rates } from "./price.ts";
import { priceWithToolFees } from "./tool-fees.ts";

export interface PriceData {
  source: string;
  read_on: string;
  unit: string;
  /** Model makers before hosts. */
  sellers: Record<string, PriceEntry[]>;
}

/**
 * The longest answers of models in tokens, by seller; scripts/update-output-limits.ts writes the
 * file.
 */
export interface OutputLimits {
  source: string;
  read_on: string;
  sellers: Record<string, Record<string, number>>;
}

/** Dollars per million tokens, and per item for what is not counted in tokens. */
export interface StatedRates extends Partial<Record<ExtraBucket, string>> {
  input?: string;
  cached_input?: string;
  cache_write_5m?: string;
  cache_write_1h?: string;
  output?: string;
}

/** An entry with names only lists models without a known price. */
export interface PriceEntry extends StatedRates {
  models: string[];
  /** Overrides for calls with more prompt tokens. */
  tiers?: ({ above: number } & StatedRates)[];
  /** Overrides at some hours, UTC as `01:00`; missing members keep the base price. */
  hours?: ({ from: string; to: string; except_weekends?: true } & StatedRates)[];
  /** Tokens. */
  context_window?: number;
  /** The price is an approximation. */
  unverified?: true;
}

/** The models of a seller, with the price where it is known. */
export type PriceList = ReadonlyMap<string, Price | undefined>;
/** `PriceLists` go by seller, in order of precedence. */
export type PriceLists = ReadonlyMap<string, PriceList>;

/** Dollars per million tokens are millionths of a dollar per token: 10^6 picodollars. */
const perMillion = 1_000_000n;
const perDollar = 1_000_000_000_000n;

export function readPriceLists(
  file: URL = new URL("./price-data.json", import.meta.url),
  limitsFile: URL = new URL("./output-limits.json", import.meta.url),
): PriceLists {
  const data = JSON.parse(readFileSync(file, "utf8")) as PriceData;
  const limits = JSON.parse(readFileSync(limitsFile, "utf8")) as OutputLimits;
  const lists = Object.entries(data.sellers).map(([seller, entries]): [string, PriceList] => [
    seller,
    new Map(
      entries.flatMap((entry) => {
        const price = buildPrice(entry, data);
        return entry.models.map((model) => {
          if (!price) return [model, undefined] as const;
          const max_tokens = limits.sellers[seller]?.[model] ?? 0;
          return [model, priceWithToolFees({ ...price, max_tokens }, seller, model)] as const;
        });
      }),
    ),
  ]);
  return new Map(lists);
}

/**
 * `buildPriceBook` gives one price per model: that of the first seller with a price, so the maker's
 * before a host's.
 */
export function buildPriceBook(lists: PriceLists): ReadonlyMap<string, Price> {
  const book = new Map<string, Price>();
  for (const list of lists.values())
    for (const [model, price] of list) if (price && !book.has(model)) book.set(model, price);
  return book;
}

function buildPrice(
  entry: PriceEntry,
  { source, read_on }: PriceData,
): Omit<Price, "max_tokens"> | undefined {
  const { models, tiers = [], hours = [], context_window, unverified, ...stated } = entry;
  if (Object.keys(stated).length === 0) return undefined;
  return {
    rates: buildRates(stated),
    ...(tiers.length > 0 && {
      tiers: tiers.map(({ above, ...higher }) => ({
        above,
        aboveOutput: -1,
        rates: buildRates({ ...stated, ...higher }),
      })),
    }),
    ...(hours.length > 0 && {
      hours: hours.map(({ from, to, except_weekends, ...then }) => ({
        from: computeMinute(from),
        to: computeMinute(to),
        exceptWeekends: except_weekends === true,
        rates: buildRates({ ...stated, ...then }),
      })),
    }),
    source,
    source_date: read_on,
    verified: unverified !== true,
    ...(context_window !== undefined && { context_window }),
  };
}

function computeMinute(clock: string): number {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(clock) ?? [];
  if (hour === undefined) throw new TypeError(`${clock} is not a time of day`);
  return 60 * Number(hour) + Number(minute);
}

const countedInPieces = new Set<ExtraBucket>(itemBuckets);

function buildRates(stated: StatedRates): Rates {
  const perToken = (dollars: string): bigint => roundHalfUp(requireDecimal(dollars), perMillion);
  const { input = "0", output = "0" } = stated;
  const { cached_input = input, cache_write_5m = input, cache_write_1h = cache_write_5m } = stated;
  const rates: Rates = {
    input: perToken(input),
    cache_read: perToken(cached_input),
    cache_write_5m: perToken(cache_write_5m),
    cache_write_1h: perToken(cache_write_1h),
    output: perToken(output),
  };
  for (const bucket of extraBuckets) {
    const dollars = stated[bucket];
    if (dollars === undefined) continue;
    rates[bucket] = countedInPieces.has(bucket)
      ? roundHalfUp(requireDecimal(dollars), perDollar)
      : perToken(dollars);
  }
  return rates;
}
