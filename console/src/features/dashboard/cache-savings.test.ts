import type { DisplayedModel } from "@tollgate/contract/catalogue/models.ts";
import { expect, test } from "vitest";
import { collectSavings, listCacheByModel } from "./cache-savings.ts";

const priced = (input_price: number, cached_input_price: number) =>
  ({ input_price, cached_input_price }) as DisplayedModel;
const provider = (models: Record<string, DisplayedModel>) => ({
  channel_name: "",
  channel_type: 1,
  models,
});

test("of several channels the least difference counts, and a dearer cache saves nothing", () => {
  const savings = collectSavings({
    one: provider({ small: priced(3, 0.3), odd: priced(1, 2) }),
    other: provider({ small: priced(2, 1) }),
  });
  expect([...savings]).toEqual([
    ["small", 1],
    ["odd", 0],
  ]);
});

test("cached tokens save the difference of the prices; without a price the saving is unknown", () => {
  const row = (ModelName: string, PromptTokens: number, CachedPromptTokens: number) => ({
    ...{ ModelName, PromptTokens, CachedPromptTokens },
  });
  const rows = [
    row("small", 3_000_000, 1_000_000),
    row("small", 1_000_000, 1_000_000),
    row("new", 10, 5),
    row("none", 9, 0),
  ];
  expect(listCacheByModel(rows, new Map([["small", 2.7]]))).toEqual([
    { model: "small", promptTokens: 4_000_000, cachedTokens: 2_000_000, savedDollars: 5.4 },
    { model: "new", promptTokens: 10, cachedTokens: 5, savedDollars: undefined },
  ]);
});
