import { expect, test } from "vitest";
import { findServedTerms, findServedTermsInHeaders } from "./served-terms.ts";

test("the served tier, speed and region are read, anything else is not", () => {
  expect(
    findServedTerms({ service_tier: "flex", speed: "fast", inference_geo: "us", other: "x" }),
  ).toEqual({
    service_tier: "flex",
    speed: "fast",
    inference_geo: "us",
  });
  for (const nothing of [
    null,
    undefined,
    1,
    [],
    {},
    { service_tier: 3, speed: null, inference_geo: "" },
  ])
    expect(findServedTerms(nothing)).toBeUndefined();
  expect(findServedTerms({ service_tier: "x".repeat(41) })).toBeUndefined();
});

test("Google's header names the tier", () => {
  expect(findServedTermsInHeaders({ "x-gemini-service-tier": "standard" })).toEqual({
    service_tier: "standard",
  });
  expect(findServedTermsInHeaders({})).toBeUndefined();
});
