import { expect, test } from "vitest";
import { memberOf, withDefaultPricing, withMember } from "./channel-pricing.ts";

const builtIn = '{"a":{"ratio":1},"b":{"ratio":2}}';

test("built-in prices fill what is missing and overwrite nothing", () => {
  const merged = withDefaultPricing('{"a":{"ratio":9,"tiers":[]}}', builtIn, []);
  expect(JSON.parse(merged)).toEqual({ a: { ratio: 9, tiers: [] }, b: { ratio: 2 } });
  expect(withDefaultPricing("mine", "", [])).toBe("mine");
});

test("with models chosen only their prices are added", () => {
  expect(JSON.parse(withDefaultPricing("", builtIn, ["b", "own"]))).toEqual({ b: { ratio: 2 } });
  expect(withDefaultPricing("", builtIn, ["own"])).toBe("");
});

test("one member changes and the rest stays", () => {
  expect(JSON.parse(withMember('{"region":"eu","x":[1]}', "api_format", "response"))).toEqual({
    region: "eu",
    x: [1],
    api_format: "response",
  });
  expect(JSON.parse(withMember("", "api_format", "response"))).toEqual({ api_format: "response" });
  expect(withMember("{broken", "api_format", "response")).toBe("{broken");
  expect(memberOf('{"a":1}', "a")).toBe(1);
  expect(memberOf("{broken", "a")).toBeUndefined();
});
