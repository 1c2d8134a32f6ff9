import { expect, test } from "vitest";
import { addAnsweredPrices, findAnsweredPrices } from "./answered-prices.ts";
import { buildFamilyPrices, readPrice } from "./family-prices.ts";

const stored = new Map([
  ["ModelRatio", '{"saved":1,"both":9}'],
  ["CompletionRatio", '{"saved":2,"both":9}'],
  ["ModelPrice", '{"picture":0.04,"both":0.5}'],
]);

const priceAfter = (kind: "one-api" | "new-api", answer: unknown, requested: string) => {
  const answered = findAnsweredPrices(answer);
  if (!answered) throw new Error("not understood");
  return readPrice(kind, buildFamilyPrices(addAnsweredPrices(stored, answered)), {
    requested,
    mapped: requested,
    type: 1,
  });
};

test("one-api's options give the prices that are compiled into it, and win over stored ones", () => {
  const data = [
    { key: "SystemName", value: "x" },
    { key: "ModelRatio", value: '{"compiled":15,"both":2}' },
    { key: "CompletionRatio", value: '{"compiled":2,"both":3}' },
  ];
  const answer = { success: true, data };
  expect(priceAfter("one-api", answer, "compiled")).toMatchObject({
    config: { ratio: 15, completion_ratio: 2 },
  });
  expect(priceAfter("one-api", answer, "both")).toMatchObject({
    config: { ratio: 2, completion_ratio: 3 },
  });
  expect(priceAfter("one-api", answer, "saved")).toMatchObject({
    config: { ratio: 1, completion_ratio: 2 },
  });
});

test("new-api's list of prices says everything of its models: a locked ratio, a cache, a price for each call", () => {
  const data = [
    {
      model_name: "both",
      quota_type: 0,
      model_ratio: 1.25,
      model_price: 0,
      completion_ratio: 4,
      cache_ratio: 0.5,
    },
    { model_name: "saved", quota_type: 1, model_ratio: 0, model_price: 0.1, completion_ratio: 0 },
  ];
  const answer = { success: true, data };
  expect(priceAfter("new-api", answer, "both")).toMatchObject({
    kind: "priced",
    config: { ratio: 1.25, completion_ratio: 4, cached_input_ratio: 0.625 },
  });
  expect(priceAfter("new-api", answer, "saved")).toEqual({ kind: "per_call", dollars: 0.1 });
  expect(priceAfter("new-api", answer, "picture")).toEqual({ kind: "per_call", dollars: 0.04 });
});

test.each([
  null,
  [],
  {},
  { data: [] },
  { data: "x" },
  { data: [{ key: "SystemName", value: "x" }] },
  { data: [{ id: 1 }] },
])("%j is no answer with prices", (answer) => expect(findAnsweredPrices(answer)).toBeUndefined());
