import { expect, test } from "vitest";
import { buildUnixSeconds } from "./time-compat.ts";

test("times in seconds or milliseconds become seconds", () => {
  expect(buildUnixSeconds(1_795_100_000)).toBe(1_795_100_000);
  expect(buildUnixSeconds(1_795_100_000_123)).toBe(1_795_100_000);
  expect(buildUnixSeconds(undefined, 0, 1_795_100_000_999)).toBe(1_795_100_000);
  expect(buildUnixSeconds(null)).toBe(0);
  expect(buildUnixSeconds(Number.NaN, 1_795_100_000_000)).toBe(1_795_100_000);
  expect(buildUnixSeconds(-1)).toBe(-1);
});
