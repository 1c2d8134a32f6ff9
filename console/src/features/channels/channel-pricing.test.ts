import { expect, test } from "vitest";
import { addDefaultPricing } from "./channel-pricing.ts";

const builtIn = '{"a":{"ratio":1},"b":{"ratio":2}}';

test("built-in prices are added and overwrite nothing", () => {
  const merged = addDefaultPricing('{"a":{"ratio":9,"tiers":[]}}', builtIn, []);
  expect(JSON.parse(merged)).toEqual({ a: { ratio: 9, tiers: [] }, b: { ratio: 2 } });
  expect(addDefaultPricing("mine", "", [])).toBe("mine");
});

test("with models chosen only their prices are added", () => {
  expect(JSON.parse(addDefaultPricing("", builtIn, ["b", "own"]))).toEqual({ b: { ratio: 2 } });
  expect(addDefaultPricing("", builtIn, ["own"])).toBe("");
});
