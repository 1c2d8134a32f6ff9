/**
 * The price that the operator pays the provider for calls on a channel: a factor on the list price
 * of every model, and prices of its own for some. It changes no charge. A price that the operator
 * did not state stays unknown. Pure.
 */
import { parseDecimal } from "../decimal.ts";
import { buildFlatPrice, multiplyPrice, priceAsStated } from "./operator-prices.ts";
import {
  addCallFee,
  computePicodollars,
  type FrozenPrice,
  isUsed,
  type Price,
  thawPrice,
  type Usage,
} from "./price.ts";
import { defaultPrice, type ModelConfig, type PriceBook } from "./price-book.ts";
import { findPriceIndex, listPricesOfDay } from "./price-hours.ts";
import { priceWithCallFee } from "./tool-fees.ts";

const picodollarsPerNano = 1_000n;

/**
 * Undefined where it is unknown: nothing is stated, or a factor alone for a model that the price
 * book does not know. `listed` is the book without the operator's selling prices, `variant` as for
 * the selling price. Members that `buying_prices` leaves out have the list price, times the factor
 * if there is one; of a model that the book does not know, cached tokens and answers cost what
 * plain input does, and nothing where that is left out too.
 */
export function findBuyingPrice(
  model: string,
  listed: PriceBook,
  config: Pick<ModelConfig, "buying_prices"> | undefined,
  factor: unknown,
  variant = "",
): Price | undefined {
  const inList = listed.get(model);
  const known = inList && priceWithCallFee(inList, variant);
  const stated = config?.buying_prices;
  const isFactor = typeof factor === "number" && parseDecimal(factor) !== undefined;
  const atFactor = known && isFactor ? multiplyPrice(known, factor) : undefined;
  if (!stated) return atFactor;
  const base = atFactor ?? known ?? buildFlatPrice(defaultPrice, { input: stated.input ?? 0 });
  return priceAsStated(base, stated, "buying price");
}

/**
 * The prices of a day with what the operator pays at the same time, and which of them applies when.
 */
export interface DayOfPrices {
  ofDay: readonly Price[];
  /** `at` is in milliseconds since the epoch. */
  indexAt(at: number): number;
}

export function buildDayOfPrices(selling: Price, buying: Price | undefined): DayOfPrices {
  if (!buying)
    return { ofDay: listPricesOfDay(selling), indexAt: (at) => findPriceIndex(selling, at) };
  const paid = listPricesOfDay(buying);
  return {
    ofDay: listPricesOfDay(selling).flatMap((price) =>
      paid.map((one) => ({ ...price, buying: one })),
    ),
    indexAt: (at) => findPriceIndex(selling, at) * paid.length + findPriceIndex(buying, at),
  };
}

/**
 * Nanodollars; null where they are beyond what a log row can hold: a wrong price must not keep a
 * call from its settlement.
 */
export function computeNanodollars(picos: bigint): number | null {
  const nanos = (picos + picodollarsPerNano / 2n) / picodollarsPerNano;
  return nanos > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(nanos);
}

/**
 * Nanodollars that the operator pays for the usage which is charged, without any group ratio,
 * halves rounded up once. Null where the frozen price names no buying price. A fee for the call
 * itself is due where anything was used.
 */
export function callCost({ buying }: Pick<FrozenPrice, "buying">, usage: Usage): number | null {
  if (buying === undefined) return null;
  const pricing = thawPrice(buying);
  return computeNanodollars(
    computePicodollars(pricing, isUsed(usage) ? addCallFee(usage, pricing) : usage),
  );
}
