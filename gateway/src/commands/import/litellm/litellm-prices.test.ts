import { expect, test } from "vitest";
import { readLitellmPrice } from "./litellm-prices.ts";

test("dollars per token are ratios to the picodollar, and free caches stay free", () => {
  const price = readLitellmPrice({
    input_cost_per_token: 0.0000025,
    output_cost_per_token: "1e-05",
    cache_read_input_token_cost: 0,
    cache_creation_input_token_cost: 0.000003125,
    input_cost_per_token_above_200k_tokens: 0.000005,
    output_cost_per_token_above_200k_tokens: 0.000015,
  });
  expect(price).toEqual({
    config: {
      ratio: 1.25,
      completion_ratio: 4,
      cached_input_ratio: -1,
      cache_write_5m_ratio: 1.5625,
      tiers: [{ input_token_threshold: 200_001, ratio: 2.5, completion_ratio: 3 }],
    },
    unread: [],
  });
});

test("a free model is free, and not without a price", () => {
  expect(readLitellmPrice({ input_cost_per_token: 0, output_cost_per_token: 0 }).config).toEqual({
    ratio: 0,
    completion_ratio: 0,
  });
  expect(readLitellmPrice({ input_cost_per_token: null }).config).toBeUndefined();
});

test("prices that nothing here expresses are named", () => {
  expect(readLitellmPrice({ input_cost_per_token: 0, output_cost_per_token: 1e-6 })).toEqual({
    config: undefined,
    unread: ["input_cost_per_token", "output_cost_per_token"],
  });
  expect(
    readLitellmPrice({ input_cost_per_token: 1e-6, output_cost_per_token_batches: 1e-7 }).unread,
  ).toEqual(["output_cost_per_token_batches"]);
  expect(readLitellmPrice({ input_cost_per_token: -1 }).config).toBeUndefined();
});
