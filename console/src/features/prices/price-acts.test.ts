import { describe, expect, test } from "vitest";
import {
  buildFactorRequest,
  buildPricesRequest,
  buildTypedPrices,
  changeRows,
  changeTexts,
  formatDifferenceText,
  priceDifferences,
  priceText,
  showPrices,
} from "./price-acts.ts";

describe("typed prices", () => {
  test("are sent with those that are listed by name; empty fields stay as they are", () => {
    const typed = {
      input: "$2.5",
      output: "",
      cache_read: " 0 ",
      others: "calls = 0.01, max_tokens=8192,\nseconds=0.0001",
    };
    expect(buildPricesRequest(typed)).toEqual({
      set: { input: 2.5, cache_read: 0, calls: 0.01, max_tokens: 8192, seconds: 0.0001 },
    });
  });
  test.each([
    {},
    { input: "", others: " " },
    { input: "-1" },
    { input: "much" },
    { others: "cached=1" },
    { others: "calls" },
    { others: "calls=1=2" },
    { input: "1", others: "input=2" },
    { others: "__proto__=1" },
  ])("%j is not sent", (typed: Record<string, string>) =>
    expect(buildPricesRequest(typed)).toBeUndefined(),
  );
  test("a factor is a number", () => {
    expect([
      buildFactorRequest({ factor: "1.2" }),
      buildFactorRequest({ factor: "x" }),
      buildFactorRequest({}),
    ]).toEqual([{ factor: 1.2 }, undefined, undefined]);
  });
});

test("a preview shows the members that change alone, also those of long prompts", () => {
  const [row] = changeRows([
    {
      model: "m",
      skipped: null,
      before: { input: 2, output: 8, tiers: [{ above: 200_000, input: 4, output: 9 }] },
      after: {
        input: 3,
        output: 8,
        calls: 0.01,
        max_tokens: 100,
        tiers: [{ above: 200_000, input: 6, output: 9 }],
      },
    },
  ]);
  expect(row).toMatchObject({ uuid: "m", name: "m", skipped: null });
  expect(showPrices(row?.before ?? {})).toBe("input $2.00, input above 200000 $4.00");
  expect(showPrices(row?.after ?? {})).toBe(
    "input $3.00, calls $0.01, max_tokens 100, input above 200000 $6.00",
  );
});

test("differences from the built-in price are told once where they are alike, else by name", () => {
  const builtIn = { input: 2, output: 8, cache_read: 0 };
  const text = (inForce: object) => formatDifferenceText(priceDifferences(inForce, builtIn));
  expect(text({ input: 2.4, output: 9.6, cache_read: 0 })).toBe("+20%");
  expect(text({ input: 1, output: 8 })).toBe("input −50%");
  expect(text({ input: 3, output: 8, cache_read: 1, calls: 0.01 })).toBe(
    "input +50%, cache_read, calls",
  );
  expect(text(builtIn)).toBe("");
});

test("a price is shown to the last digit that is charged", () => {
  expect([2.5, 0.125, 0.000_001, 0].map(priceText)).toEqual([
    "$2.50",
    "$0.125",
    "$0.000001",
    "$0.00",
  ]);
});

test("the fields of one model hold what is stated, and only what is typed anew is sent", () => {
  const built_in = { input: 2.5, output: 10, cache_read: 0.0000005 };
  const present = buildTypedPrices({ built_in, operator: { output: 12 } });
  expect(present).toEqual({ input: "2.5", output: "12", cache_read: "0.0000005" });
  const typed = { ...present, output: "15", input: " 2.5 ", others: "calls=0.01" };
  expect(buildPricesRequest(changeTexts(present, typed))).toEqual({
    set: { output: 15, calls: 0.01 },
  });
  expect(buildPricesRequest(changeTexts(present, present))).toBeUndefined();
  expect(buildTypedPrices({ built_in: null, operator: null })).toEqual({});
});
