import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  buckets,
  charge,
  freezePrice,
  groupRatioOne,
  type HourlyRates,
  noUsage,
  type Price,
  type Rates,
  thawPrice,
} from "./price.ts";
import { buildModelConfig, defaultPrice, findPrice } from "./price-book.ts";
import { appliesAt, findHighestPrice, findPriceIndex, listPricesOfDay } from "./price-hours.ts";
import { readPriceLists } from "./price-lists.ts";

const minute = fc.integer({ min: 0, max: 1_439 });
const rate = fc.bigInt({ min: 0n, max: 10n ** 10n });
const rates = fc.record(
  Object.fromEntries(buckets.map((bucket) => [bucket, rate])),
) as fc.Arbitrary<Required<Rates>>;
const hours: fc.Arbitrary<HourlyRates> = fc.record({
  from: minute,
  to: minute,
  exceptWeekends: fc.boolean(),
  rates,
});
const prices: fc.Arbitrary<Price> = fc
  .record({ rates, hours: fc.array(hours, { maxLength: 4 }) })
  .map((some) => ({ ...defaultPrice, ...some }));
const moments = fc.date({
  min: new Date("2020-01-01"),
  max: new Date("2040-01-01"),
  noInvalidDate: true,
});

/**
 * `isWithin` says whether a clock time is within the hours, computed differently from the code
 * under test.
 */
function isWithin({ from, to, exceptWeekends }: HourlyRates, at: Date): boolean {
  const day = at.toLocaleDateString("en", { weekday: "long", timeZone: "UTC" });
  if (exceptWeekends && day.startsWith("S")) return false;
  const now = 60 * at.getUTCHours() + at.getUTCMinutes();
  const isLate = from > to;
  return isLate ? !(now >= to && now < from) : now >= from && now < to;
}

describe("hours", () => {
  const at = (text: string): number => Date.parse(text);
  const flat = defaultPrice.rates;
  test.each([
    ["01:00", "04:00", "2026-11-20T00:59:59.999Z", false],
    ["01:00", "04:00", "2026-11-20T01:00:00.000Z", true],
    ["01:00", "04:00", "2026-11-20T03:59:59.999Z", true],
    ["01:00", "04:00", "2026-11-20T04:00:00.000Z", false],
    ["16:30", "00:30", "2026-11-20T16:30:00.000Z", true],
    ["16:30", "00:30", "2026-11-20T00:29:59.999Z", true],
    ["16:30", "00:30", "2026-11-20T00:30:00.000Z", false],
  ])("from %s to %s: %s is %s", (from, to, moment, expected) => {
    const [start, end] = [from, to].map(
      (clock) => 60 * Number(clock.slice(0, 2)) + Number(clock.slice(3)),
    ) as [number, number];
    expect(
      appliesAt({ from: start, to: end, exceptWeekends: false, rates: flat }, at(moment)),
    ).toBe(expected);
  });

  test.each([
    ["2026-11-20T02:00:00Z", true],
    ["2026-11-21T02:00:00Z", false],
    ["2026-11-22T02:00:00Z", false],
    ["2026-11-23T02:00:00Z", true],
  ])("of weekdays on %s: %s", (moment, expected) => {
    expect(appliesAt({ from: 60, to: 240, exceptWeekends: true, rates: flat }, at(moment))).toBe(
      expected,
    );
  });

  test.each(["00:30", "01:00", "23:00"])(
    "from one minute to the same one never apply, not at %s either",
    (clock) => {
      const moment = at(`2026-11-20T${clock}:00Z`);
      expect(appliesAt({ from: 60, to: 60, exceptWeekends: false, rates: flat }, moment)).toBe(
        false,
      );
    },
  );

  test("are named in a source to the minute", () => {
    const hours = [{ from: 59, to: 1_439, exceptWeekends: false, rates: flat }];
    expect(listPricesOfDay({ ...defaultPrice, hours }).map(({ source }) => source)).toEqual([
      "default price, other hours",
      "default price, 00:59 to 23:59 UTC",
    ]);
  });

  test("are shown by the highest of them, and of equals by the first", () => {
    const dearest = (...inputs: bigint[]) => {
      const [first = 0n, ...others] = inputs;
      const hours = others.map((input, n) => ({
        from: n,
        to: n + 1,
        exceptWeekends: false,
        rates: { ...flat, input },
      }));
      const { source, rates } = findHighestPrice({
        ...defaultPrice,
        rates: { ...flat, input: first },
        hours,
      });
      return [rates.input, source];
    };
    expect(dearest(5n, 7n, 6n)).toEqual([7n, "default price, 00:00 to 00:01 UTC"]);
    expect(dearest(7n, 5n)).toEqual([7n, "default price, other hours"]);
    expect(dearest(5n, 7n, 7n)).toEqual([7n, "default price, 00:00 to 00:01 UTC"]);
  });

  test("agree with a clock at any time", () => {
    fc.assert(
      fc.property(
        hours,
        moments,
        (some, when) => appliesAt(some, when.getTime()) === isWithin(some, when),
      ),
    );
  });
});

describe("the price of a call", () => {
  test("uses the last hours that apply, else the base rates, and stays frozen", () => {
    fc.assert(
      fc.property(prices, moments, (price, when) => {
        const expected =
          price.hours?.findLast((some) => isWithin(some, when))?.rates ?? price.rates;
        const priced = listPricesOfDay(price)[findPriceIndex(price, when.getTime())];
        expect(priced?.rates).toEqual(expected);
        const usage = { ...noUsage, input: 1_000, cache_read: 10, output: 7 };
        const frozen = JSON.parse(JSON.stringify(freezePrice(priced as Price, groupRatioOne)));
        expect(charge(thawPrice(frozen), usage, groupRatioOne)).toBe(
          charge({ rates: expected }, usage, groupRatioOne),
        );
      }),
    );
  });

  test("names its hours in its source", () => {
    const source = (price: Price): string[] => listPricesOfDay(price).map((one) => one.source);
    expect(source(defaultPrice)).toEqual(["default price"]);
    const window = { from: 60, to: 30, exceptWeekends: false, rates: defaultPrice.rates };
    expect(source({ ...defaultPrice, hours: [window] })).toEqual([
      "default price, other hours",
      "default price, 01:00 to 00:30 UTC",
    ]);
  });
});

describe("DeepSeek's price", () => {
  const price = readPriceLists().get("deepseek")?.get("deepseek-v4-pro") as Price;
  const inputAt = (moment: string, of = price): number =>
    Number(listPricesOfDay(of)[findPriceIndex(of, Date.parse(moment))]?.rates.input) / 1_000_000;

  test.each([
    ["2026-11-20T00:30:00Z", 0.66],
    ["2026-11-20T01:00:00Z", 1.32],
    ["2026-11-20T05:00:00Z", 0.66],
    ["2026-11-20T09:59:00Z", 1.32],
    ["2026-11-20T10:00:00Z", 0.66],
    // A Saturday.
    ["2026-11-21T09:59:00Z", 0.66],
  ])("at %s is %d dollars for a million", (moment, dollars) =>
    expect(inputAt(moment)).toBe(dollars),
  );

  test("is the operator's own price at any hour, where there is one", () => {
    const book = new Map([["m", price]]);
    const own = findPrice("m", book, { ratio: 1, completion_ratio: 2 }, "channel 1");
    expect([inputAt("2026-11-20T01:00:00Z", own), inputAt("2026-11-20T00:00:00Z", own)]).toEqual([
      2, 2,
    ]);
    const longer = findPrice("m", book, { max_tokens: 5 }, "channel 1");
    expect(inputAt("2026-11-20T01:00:00Z", longer)).toBe(1.32);
  });

  test("is shown, and written into settings, as the highest of the day", () => {
    expect(Number(findHighestPrice(price).rates.output) / 1_000_000).toBe(3.96);
    expect(buildModelConfig(findHighestPrice(price)).ratio).toBe(0.66);
    expect(findHighestPrice(defaultPrice)).toEqual(defaultPrice);
  });
});
