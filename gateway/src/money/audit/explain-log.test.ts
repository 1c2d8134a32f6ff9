import { expect, test } from "vitest";
import type { LogRow } from "../../storage/tables/call-tables.ts";
import { type FrozenPrice, noUsage } from "../prices/price.ts";
import { explainLog, readLoggedUsage } from "./explain-log.ts";

const row = {
  prompt_tokens: 1_000,
  cached_prompt_tokens: 300,
  cache_write_5m_tokens: 40,
  cache_write_1h_tokens: 5,
  completion_tokens: 70,
  price: null,
} as LogRow;
const price: FrozenPrice = {
  rates: { input: "2000000", cache_read: "1000000", cache_write_5m: "4000000", output: "6000000" },
  group_ratio: 1_000_000,
  source: "channel 7",
  source_date: "2026-11-20",
  verified: true,
};

test("the columns of a row without a price are split into buckets too", () => {
  expect(readLoggedUsage(row)).toEqual({
    ...noUsage,
    ...{ input: 655, cache_read: 300, cache_write_5m: 40, cache_write_1h: 5, output: 70 },
  });
  expect(explainLog(row)).toBeNull();
});

test("separately counted usage is in the columns once", () => {
  const usage = {
    ...{ input_audio: 100, input_image: 50, cache_read_audio: 20, cache_read_image: 9 },
    ...{ output_audio: 30, output_image: 11, seconds: 4 },
  };
  expect(readLoggedUsage({ ...row, price: JSON.stringify({ ...price, usage }) })).toEqual({
    ...usage,
    ...{ input: 505, cache_read: 271, cache_write_5m: 40, cache_write_1h: 5, output: 29 },
  });
  expect(readLoggedUsage(row, { ...price, usage: { input_audio: 5 } })).toEqual({
    ...noUsage,
    ...{
      input_audio: 5,
      input: 650,
      cache_read: 300,
      cache_write_5m: 40,
      cache_write_1h: 5,
      output: 70,
    },
  });
});

test("a charge is explained line by line", () => {
  expect(explainLog({ ...row, price: JSON.stringify(price) })).toMatchObject({
    lines: [
      { bucket: "input", tokens: 655, price_per_million: "2", picodollars: "1310000000" },
      { bucket: "cache_read", tokens: 300 },
      { bucket: "cache_write_5m", tokens: 40 },
      { bucket: "cache_write_1h", tokens: 5 },
      { bucket: "output", tokens: 70 },
    ],
    quota: 655 + 150 + 80 + 210,
  });
});
