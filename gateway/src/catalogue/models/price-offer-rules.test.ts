import type { ModelPrices } from "@tollgate/contract/catalogue/model-prices.ts";
import { describe, expect, test } from "vitest";
import { showPrices } from "../../money/prices/operator-prices.ts";
import { defaultPrice } from "../../money/prices/price-book.ts";
import { buildPriceBook, readPriceLists } from "../../money/prices/price-lists.ts";
import { computeLargestChange, type OfferTerms, openOffers } from "./price-offer-rules.ts";

const channel = {
  id: 1,
  name: "west",
  models: "gpt-4.1,newest,constructor",
  model_mapping: null,
  model_configs: null,
};
const builtIn = buildPriceBook(readPriceLists());
const own = (prices: ModelPrices) => [
  { model: "gpt-4.1", prices, updatedAt: Date.UTC(2026, 10, 23, 23, 59) },
];
const open = (offered: OfferTerms["offered"], terms: Partial<OfferTerms> = {}) =>
  openOffers({ channels: [channel], builtIn, operator: [], setAside: {}, offered, ...terms });

describe("an offered price", () => {
  test("names the list and the day of the price in force, and of an operator's price the day alone", () => {
    const [listed] = open({ "gpt-4.1": { input: 3 } });
    expect(listed).toMatchObject({ model: "gpt-4.1", source: "built_in", stated: { input: 3 } });
    expect([listed?.source_name, listed?.source_date]).toEqual([
      expect.stringContaining("genai-prices"),
      expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    ]);
    const [stated] = open({ "gpt-4.1": { input: 3 } }, { operator: own({ input: 4, output: 9 }) });
    expect(stated).toMatchObject({
      source: "operator",
      source_name: "",
      source_date: "2026-11-23",
      before: { input: 4, output: 9 },
      after: { input: 3, output: 9 },
      stated: { input: 3, output: 9 },
    });
  });

  test("is none where the price in force is the same, whether it is listed or the operator's", () => {
    const listed = open({ "gpt-4.1": { input: 3 } })[0]?.before.input;
    expect(open({ "gpt-4.1": { input: listed } })).toEqual([]);
    expect(open({ "gpt-4.1": { input: 4 } }, { operator: own({ input: 4 }) })).toEqual([]);
    expect(open({ "of-no-channel": { input: 4 } })).toEqual([]);
  });

  test("is one where only the prices of long prompts differ, before or after", () => {
    const tiered = (input: number) => ({ "gpt-4.1": { tiers: [{ above: 200_000, input }] } });
    expect(open(tiered(9))).toMatchObject([{ after: { tiers: [{ above: 200_000, input: 9 }] } }]);
    const operator = own(tiered(9)["gpt-4.1"]);
    expect(open(tiered(9), { operator })).toEqual([]);
    expect(open(tiered(8), { operator })).toMatchObject([{ after: { tiers: [{ input: 8 }] } }]);
    expect(open({ "gpt-4.1": { tiers: [] } }, { operator })).toHaveLength(1);
  });

  test("is set aside as it was decided, in any order of its members, and not with another price", () => {
    const aside = (setAside: OfferTerms["setAside"]) =>
      open({ newest: { input: 5, output: 20 } }, { setAside }).map(
        ({ is_set_aside }) => is_set_aside,
      );
    expect(aside({ newest: { output: 20, input: 5 } })).toEqual([true]);
    expect(aside({ newest: { input: 5, output: 21 } })).toEqual([false]);
    expect(aside({ "gpt-4.1": { input: 5, output: 20 } })).toEqual([false]);
  });
});

test("the largest change is that of a price that both state, in per cent, and from 0 it is endless", () => {
  const shown = showPrices(defaultPrice);
  const changed = (before: ModelPrices, after: ModelPrices) =>
    computeLargestChange({ before: { ...shown, ...before }, after: { ...shown, ...after } });
  expect(changed({}, {})).toBe(0);
  expect(changed({ input: 4, output: 10 }, { input: 5, output: 9 })).toBe(25);
  expect(changed({ input: 4 }, { input: 3 })).toBe(25);
  expect(changed({ images: 1 }, {})).toBe(0);
  expect(changed({}, { images: 1 })).toBe(0);
  expect(changed({ images: 0 }, { images: 0 })).toBe(0);
  expect(changed({ images: 0 }, { images: 1 })).toBe(Number.POSITIVE_INFINITY);
});
