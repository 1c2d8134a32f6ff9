import { expect, test } from "vitest";
import { toUnixSeconds } from "./time-compat.ts";

test("times in seconds or milliseconds become seconds", () => {
  expect(toUnixSeconds(1_795_100_000)).toBe(1_795_100_000);
  expect(toUnixSeconds(1_795_100_000_123)).toBe(1_795_100_000);
  expect(toUnixSeconds(undefined, 0, 1_795_100_000_999)).toBe(1_795_100_000);
  expect(toUnixSeconds(null)).toBe(0);
  expect(toUnixSeconds(Number.NaN, 1_795_100_000_000)).toBe(1_795_100_000);
  expect(toUnixSeconds(-1)).toBe(-1);
});
