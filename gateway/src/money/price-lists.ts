/** The prices that come with the gateway, by who asks them; scripts/update-prices.ts writes the file. */
import { readFileSync } from "node:fs";
import { exactly, roundedHalfUp } from "./decimal.ts";
import type { Price } from "./price.ts";

export interface PriceData {
  source: string;
  read_on: string;
  unit: string;
  /** Makers before hosts. */
  sellers: Record<string, PriceEntry[]>;
}

/** Names alone are models that are not priced by tokens, or whose price nobody states. */
export interface PriceEntry {
  models: string[];
  input?: string;
  cached_input?: string;
  cache_write_5m?: string;
  cache_write_1h?: string;
  output?: string;
  /** Longer prompts or other hours have other prices, which this gateway does not know, or the price is a rough one. */
  unverified?: true;
}

/** What a seller offers: names, and the price where one is known. */
export type PriceList = ReadonlyMap<string, Price | undefined>;
/** By seller, in the order in which their prices count. */
export type PriceLists = ReadonlyMap<string, PriceList>;

/** Dollars per million tokens are millionths of a dollar per token: 10^6 picodollars. */
const perMillion = 1_000_000n;

export function readPriceLists(file: URL = new URL("./price-data.json", import.meta.url)): PriceLists {
  const data = JSON.parse(readFileSync(file, "utf8")) as PriceData;
  const lists = Object.entries(data.sellers).map(([seller, entries]): [string, PriceList] => [
    seller,
    new Map(
      entries.flatMap((entry) => {
        const price = priceOf(entry, data);
        return entry.models.map((model) => [model, price] as const);
      }),
    ),
  ]);
  return new Map(lists);
}

/** One price for each name: the first seller's that states one, so a maker's own before a host's. */
export function bookOf(lists: PriceLists): ReadonlyMap<string, Price> {
  const book = new Map<string, Price>();
  for (const list of lists.values())
    for (const [model, price] of list) if (price && !book.has(model)) book.set(model, price);
  return book;
}

function priceOf(entry: PriceEntry, { source, read_on }: PriceData): Price | undefined {
  if (entry.input === undefined || entry.output === undefined) return undefined;
  const rate = (dollars: string): bigint => roundedHalfUp(exactly(dollars), perMillion);
  const { input, cached_input = input, cache_write_5m = input, cache_write_1h = cache_write_5m, output } = entry;
  return {
    rates: {
      input: rate(input),
      cache_read: rate(cached_input),
      cache_write_5m: rate(cache_write_5m),
      cache_write_1h: rate(cache_write_1h),
      output: rate(output),
    },
    source,
    source_date: read_on,
    verified: entry.unverified !== true,
    // The source knows how much a model reads and writes together, not how much it writes.
    max_tokens: 0,
  };
}
