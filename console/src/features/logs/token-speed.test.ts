import { expect, test } from "vitest";
import { findTokensPerSecond } from "./token-speed.ts";

test("the speed counts from the first byte", () => {
  expect(findTokensPerSecond({ completion_tokens: 100, elapsed_time: 3_000, ttft: 1_000 })).toBe(
    50,
  );
});

test("without tokens, a first byte or time there is no speed, nor where a server left the numbers out", () => {
  expect(
    findTokensPerSecond({ completion_tokens: 0, elapsed_time: 3_000, ttft: 1_000 }),
  ).toBeUndefined();
  expect(
    findTokensPerSecond({ completion_tokens: 9, elapsed_time: 3_000, ttft: 0 }),
  ).toBeUndefined();
  expect(
    findTokensPerSecond({ completion_tokens: 9, elapsed_time: 1_000, ttft: 1_000 }),
  ).toBeUndefined();
  expect(
    findTokensPerSecond({ completion_tokens: 9, elapsed_time: Number.NaN, ttft: 1_000 }),
  ).toBeUndefined();
});
