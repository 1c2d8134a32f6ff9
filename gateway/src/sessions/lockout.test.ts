import { expect, test } from "vitest";
import { lockout } from "./lockout.ts";

const minute = 60_000;

test("the fifth failure locks for a minute, and each later one for longer, up to a quarter of an hour", () => {
  const guard = lockout();
  let now = 1_000_000;
  for (let failure = 0; failure < 4; failure += 1) guard.failed("mira", now);
  expect(guard.wait("mira", now)).toBe(0);
  for (const minutes of [1, 2, 4, 8, 15, 15]) {
    guard.failed("mira", now);
    expect(guard.wait("mira", now)).toBe(minutes * 60);
    now += minutes * minute;
    expect(guard.wait("mira", now)).toBe(0);
  }
});

test("failures are forgotten after a success and after a quiet quarter of an hour", () => {
  const guard = lockout();
  for (let failure = 0; failure < 4; failure += 1) guard.failed("mira", 0);
  guard.succeeded("mira");
  guard.failed("mira", 0);
  expect(guard.wait("mira", 0)).toBe(0);
  for (let failure = 0; failure < 4; failure += 1) guard.failed("noor", 0);
  guard.failed("noor", 15 * minute);
  expect(guard.wait("noor", 15 * minute)).toBe(0);
});
