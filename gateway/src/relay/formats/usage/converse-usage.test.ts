import { expect, test } from "vitest";
import { noUsage } from "../../../money/prices/price.ts";
import { parseConverseUsage } from "./converse-usage.ts";

test.each([
  [
    "everything at once, each token in one bucket",
    {
      inputTokens: 1,
      outputTokens: 2,
      totalTokens: 16,
      cacheReadInputTokens: 3,
      cacheWriteInputTokens: 10,
      cacheDetails: [
        { inputTokens: 1, ttl: "1h" },
        { inputTokens: 3, ttl: "1h" },
        { inputTokens: "many", ttl: "1h" },
        { inputTokens: 6, ttl: "5m" },
      ],
    },
    { input: 1, cache_read: 3, cache_write_5m: 6, cache_write_1h: 4, output: 2 },
  ],
  [
    "no more for an hour than was written",
    { inputTokens: 1, cacheWriteInputTokens: 10, cacheDetails: [{ inputTokens: 99, ttl: "1h" }] },
    { input: 1, cache_write_1h: 10 },
  ],
  [
    "a cache under the older names",
    { inputTokens: 1, outputTokens: 2, cacheReadInputTokenCount: 3, cacheWriteInputTokenCount: 4 },
    { input: 1, output: 2, cache_read: 3, cache_write_5m: 4 },
  ],
  ["a prompt alone", { inputTokens: 1 }, { input: 1 }],
  ["a cache alone", { cacheReadInputTokens: 1 }, { cache_read: 1 }],
])("usage of Converse is charged as %s", (_, wire, usage) => {
  expect(parseConverseUsage(wire)).toStrictEqual({
    usage: { ...noUsage, ...usage },
    hiddenOutput: 0,
    isCorrected: false,
    wire: { family: "converse", members: wire },
  });
});

test.each<[object, true | undefined]>([
  [{ outputTokens: 2 }, true],
  [{ inputTokens: "7", outputTokens: 2 }, true],
  [{ inputTokens: 0, outputTokens: 2 }, undefined],
  [{ cacheReadInputTokens: 7, outputTokens: 2 }, undefined],
])("%j leaves the prompt to the estimate: %j", (wire, isPromptUncounted) => {
  expect(parseConverseUsage(wire)?.isPromptUncounted).toBe(isPromptUncounted);
});

test.each([null, "1", [], {}, { inputTokens: 0 }, { inputTokens: -1 }])(
  "%j reports no usage",
  (wire) => {
    expect(parseConverseUsage(wire)).toBeUndefined();
  },
);
