import { expect, test } from "vitest";
import {
  accountRules,
  computeSecondsLocked,
  type SignInFailures,
  sourceRules,
} from "./lockout-rules.ts";

const minute = 60_000;
const hour = 60 * minute;
const start = 1_000_000_000;
const { afterFailure, expireAt } = sourceRules;

const failing = (times: readonly number[]): SignInFailures | undefined =>
  times.reduce<SignInFailures | undefined>((known, at) => afterFailure(known, at), undefined);

test("the fifth failure locks for a minute, and each later one for longer, up to 15 minutes", () => {
  let now = start;
  let known = failing([now, now, now, now]);
  expect(computeSecondsLocked(known, now)).toBe(0);
  for (const minutes of [1, 2, 4, 8, 15, 15]) {
    known = afterFailure(known, now);
    expect(computeSecondsLocked(known, now)).toBe(minutes * 60);
    now += minutes * minute;
    expect(computeSecondsLocked(known, now)).toBe(0);
  }
});

test("failures expire after 15 minutes without another one", () => {
  const four = failing([start, start, start, start]) as SignInFailures;
  expect(expireAt(four)).toBe(start + 15 * minute);
  expect(computeSecondsLocked(afterFailure(four, start + 15 * minute), start + 15 * minute)).toBe(
    0,
  );
  const locked = afterFailure(four, start);
  const quiet = expireAt(locked);
  expect(quiet).toBe(start + 16 * minute);
  expect(computeSecondsLocked(afterFailure(locked, quiet), quiet)).toBe(0);
  expect(computeSecondsLocked(afterFailure(locked, quiet - 1), quiet)).toBeGreaterThan(0);
});

test("an account locks at a hundred failures within a day, and frees one attempt as each of them grows a day old", () => {
  let known: SignInFailures | undefined;
  for (let failure = 0; failure < 99; failure += 1)
    known = accountRules.afterFailure(known, start + failure * minute);
  const last = start + 99 * minute;
  expect(computeSecondsLocked(known, last)).toBe(0);
  known = accountRules.afterFailure(known, last);
  const isLocked = (now: number): boolean => computeSecondsLocked(known, now) > 0;
  expect([isLocked(last), isLocked(start + 24 * hour - 1), isLocked(start + 24 * hour)]).toEqual([
    true,
    true,
    false,
  ]);
  known = accountRules.afterFailure(known, start + 24 * hour);
  expect([isLocked(start + 24 * hour), isLocked(start + 24 * hour + minute)]).toEqual([
    true,
    false,
  ]);
  expect(accountRules.expireAt(known)).toBe(start + 48 * hour);
});
