import { expect, test } from "vitest";
import { afterFailure, failuresExpireAt, type SignInFailures, secondsLocked } from "./lockout-rules.ts";

const minute = 60_000;
const start = 1_000_000_000;

const failing = (times: readonly number[]): SignInFailures | undefined =>
  times.reduce<SignInFailures | undefined>((known, at) => afterFailure(known, at), undefined);

test("the fifth failure locks for a minute, and each later one for longer, up to 15 minutes", () => {
  let now = start;
  let known = failing([now, now, now, now]);
  expect(secondsLocked(known, now)).toBe(0);
  for (const minutes of [1, 2, 4, 8, 15, 15]) {
    known = afterFailure(known, now);
    expect(secondsLocked(known, now)).toBe(minutes * 60);
    now += minutes * minute;
    expect(secondsLocked(known, now)).toBe(0);
  }
});

test("failures expire after 15 minutes without another one", () => {
  const four = failing([start, start, start, start]) as SignInFailures;
  expect(failuresExpireAt(four)).toBe(start + 15 * minute);
  expect(secondsLocked(afterFailure(four, start + 15 * minute), start + 15 * minute)).toBe(0);
  const locked = afterFailure(four, start);
  const quiet = failuresExpireAt(locked);
  expect(quiet).toBe(start + 16 * minute);
  expect(secondsLocked(afterFailure(locked, quiet), quiet)).toBe(0);
  expect(secondsLocked(afterFailure(locked, quiet - 1), quiet)).toBeGreaterThan(0);
});
