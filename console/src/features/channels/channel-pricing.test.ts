import { expect, test } from "vitest";
import { withDefaultPricing } from "./channel-pricing.ts";

const builtIn = '{"a":{"ratio":1},"b":{"ratio":2}}';

test("built-in prices are added and overwrite nothing", () => {
  const merged = withDefaultPricing('{"a":{"ratio":9,"tiers":[]}}', builtIn, []);
  expect(JSON.parse(merged)).toEqual({ a: { ratio: 9, tiers: [] }, b: { ratio: 2 } });
  expect(withDefaultPricing("mine", "", [])).toBe("mine");
});

test("with models chosen only their prices are added", () => {
  expect(JSON.parse(withDefaultPricing("", builtIn, ["b", "own"]))).toEqual({ b: { ratio: 2 } });
  expect(withDefaultPricing("", builtIn, ["own"])).toBe("");
});
