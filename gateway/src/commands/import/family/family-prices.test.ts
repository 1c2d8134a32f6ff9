import { expect, test } from "vitest";
import { charge, noUsage, type Usage } from "../../../money/prices/price.ts";
import { findPrice, readPriceBook } from "../../../money/prices/price-book.ts";
import type { FamilyKind } from "./family-kind.ts";
import { buildFamilyPrices, computeProduct, readPrice } from "./family-prices.ts";

const prices = buildFamilyPrices(
  new Map([
    ["ModelRatio", '{"claude":1.5,"gpt":1.25,"gpt(3)":2,"cheap":0.075,"negative":-1,"text":"1"}'],
    ["CompletionRatio", '{"claude":5,"gpt":4,"cheap":4}'],
    ["CacheRatio", '{"claude":0.1,"gpt":0}'],
    ["ModelPrice", '{"picture":0.04}'],
  ]),
);
const book = readPriceBook();

function chargeOf(
  kind: FamilyKind,
  model: string,
  usage: Partial<Usage>,
  groupRatio = 1_000_000,
): number {
  const reading = readPrice(kind, prices, { requested: model, mapped: model, type: 1 });
  if (reading.kind !== "priced") throw new Error(`${model} has no price`);
  return charge(
    findPrice(model, book, reading.config, "a channel"),
    { ...noUsage, ...usage },
    groupRatio,
  );
}

// Worked by hand from the arithmetic of each system.
test.each<[string, FamilyKind, string, Partial<Usage>, number, number]>([
  ["one-api", "one-api", "gpt", { input: 1_000, output: 500 }, 1_000_000, 3_750],
  ["one-api, rounded up", "one-api", "cheap", { input: 7, output: 3 }, 1_000_000, 2],
  [
    "new-api with caches",
    "new-api",
    "claude",
    { input: 1_000, cache_read: 2_000, cache_write_5m: 400, output: 300 },
    1_000_000,
    4_800,
  ],
  [
    "new-api in a group",
    "new-api",
    "claude",
    { input: 1_000, cache_read: 2_000, cache_write_5m: 400, output: 300 },
    800_000,
    3_840,
  ],
  ["new-api with free cached input", "new-api", "gpt", { cache_read: 1_000 }, 1_000_000, 0],
])("a call costs what it cost before: %s", (_, kind, model, usage, groupRatio, units) => {
  expect(chargeOf(kind, model, usage, groupRatio)).toBe(units);
});

test("one-api prices the mapped name, for a type of channel first; new-api the requested name", () => {
  const read = (kind: FamilyKind, type: number) =>
    readPrice(kind, prices, { requested: "claude", mapped: "gpt", type });
  expect(read("one-api", 3)).toMatchObject({ config: { ratio: 2 } });
  expect(read("one-api", 1)).toMatchObject({ config: { ratio: 1.25 } });
  expect(read("new-api", 1)).toMatchObject({ config: { ratio: 1.5 } });
});

test("a price that is negative, a text or not stored is missing, and one for each call is none for tokens", () => {
  const kindOf = (model: string) =>
    readPrice("new-api", prices, { requested: model, mapped: model, type: 1 }).kind;
  expect(["negative", "text", "elsewhere", "picture"].map(kindOf)).toEqual([
    "missing",
    "missing",
    "missing",
    "per_call",
  ]);
});

test("ratios are multiplied as decimals", () => {
  expect(computeProduct(0.1, 3)).toBe(0.3);
  expect(computeProduct(1.5, 1.25)).toBe(1.875);
});
