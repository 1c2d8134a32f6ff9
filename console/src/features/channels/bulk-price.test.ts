import fc from "fast-check";
import { expect, test } from "vitest";
import { priceRequest, showPrice } from "./bulk-price.ts";

test("a price typed in dollars per million tokens is sent as ratios, and shown as the same dollars", () => {
  const typed = { model: " gpt-4o ", input: "$2.50", output: "10", cached: "1.25" };
  expect(priceRequest(typed)).toEqual({
    verb: "set_price",
    model: "gpt-4o",
    ratio: 1.25,
    completion_ratio: 4,
    cached_input_ratio: 0.625,
  });
  const cents = fc.integer({ min: 1, max: 100_000_00 });
  fc.assert(
    fc.property(cents, cents, (input, output) => {
      const asked = priceRequest({
        model: "m",
        input: String(input / 100),
        output: String(output / 100),
      });
      const { ratio, completion_ratio } = asked as { ratio: number; completion_ratio: number };
      expect(ratio * 2).toBeCloseTo(input / 100, 9);
      expect(ratio * completion_ratio * 2).toBeCloseTo(output / 100, 6);
    }),
  );
  expect(showPrice({ ratio: 1.25, completion_ratio: 4 })).toBe("$2.50 / $10.00");
  expect(showPrice({})).toBe("");
});

test("free cached input is sent as such, because 0 would mean the price of other input", () => {
  expect(priceRequest({ model: "m", input: "1", output: "2", cached: "0" })).toMatchObject({
    cached_input_ratio: -1,
  });
  expect(priceRequest({ model: "m", input: "1", output: "2" })).not.toHaveProperty(
    "cached_input_ratio",
  );
});

test.each([
  { model: "", input: "1", output: "2" },
  { model: "m", input: "", output: "2" },
  { model: "m", input: "1,5", output: "2" },
  { model: "m", input: "0", output: "2" },
  { model: "m", input: "1", output: "2", cached: "cheap" },
  { model: "m", input: "-1", output: "2" },
])("%j is no price", (typed) => {
  expect(priceRequest(typed)).toBeUndefined();
});
