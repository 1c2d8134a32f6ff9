import { expect, test } from "vitest";
import { showPrices } from "./channel-prices.ts";

const builtIn = JSON.stringify({
  "gpt-4o": { ratio: 1.25, completion_ratio: 4 },
  "text-embedding-3-small": { ratio: 0.01 },
});

test("a typed price wins over the built-in one, and is marked as the channel's own", () => {
  const typed = JSON.stringify({ "gpt-4o": { ratio: 1, completion_ratio: 3 } });
  expect(showPrices(["gpt-4o", "text-embedding-3-small"], typed, builtIn)).toEqual([
    { model: "gpt-4o", price: "$2.00 / $6.00", isOwn: true },
    { model: "text-embedding-3-small", price: "$0.02", isOwn: false },
  ]);
});

test("a model without a price, and prices that are not whole JSON yet, show none", () => {
  expect(showPrices(["gpt-4o", "constructor"], '{"gpt-4o": {"rat', "")).toEqual([
    { model: "gpt-4o", price: "", isOwn: false },
    { model: "constructor", price: "", isOwn: false },
  ]);
  expect(showPrices(["gpt-4o"], '{"gpt-4o": {"max_tokens": 5}}', builtIn)).toEqual([
    { model: "gpt-4o", price: "$2.50 / $10.00", isOwn: false },
  ]);
});
