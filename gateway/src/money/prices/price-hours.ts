/** Prices that depend on the hour of the day. The start of a call decides for the whole call. */
import type { HourlyRates, Price } from "./price.ts";

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** The Unix epoch began on a Thursday. */
const computeWeekday = (at: number): number => (Math.floor(at / dayMs) + 4) % 7;
const isWeekend = (at: number): boolean => computeWeekday(at) % 6 === 0;

/** `appliesAt` says whether the hours apply at a time in milliseconds since the epoch. */
export function appliesAt({ from, to, exceptWeekends }: HourlyRates, at: number): boolean {
  if (exceptWeekends && isWeekend(at)) return false;
  const minute = Math.floor((at % dayMs) / minuteMs);
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to;
}

const formatClockTime = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":");

const formatHoursLabel = ({ from, to }: HourlyRates): string =>
  `${formatClockTime(from)} to ${formatClockTime(to)} UTC`;

/**
 * `listPricesOfDay` gives all prices of a model in a day: first the base price, then one for each
 * of its hours.
 */
export function listPricesOfDay({ hours = [], ...price }: Price): Price[] {
  if (hours.length === 0) return [price];
  const at = hours.map((window): Price => {
    const { tiers: _, ...flat } = price;
    return { ...flat, rates: window.rates, source: `${price.source}, ${formatHoursLabel(window)}` };
  });
  return [{ ...price, source: `${price.source}, other hours` }, ...at];
}

/** The index in `listPricesOfDay` that applies at a time; of several, the last. */
export const findPriceIndex = ({ hours = [] }: Price, at: number): number =>
  hours.findLastIndex((window) => appliesAt(window, at)) + 1;

/** `findHighestPrice` is for replies that can show only one price. */
export const findHighestPrice = (price: Price): Price =>
  listPricesOfDay(price).reduce((highest, one) =>
    one.rates.input > highest.rates.input ? one : highest,
  );
