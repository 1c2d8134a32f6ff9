import { expect, test } from "vitest";
import {
  computeStatusAfterEdit,
  coversHardlyACall,
  expiryPresets,
  findExpiryFromInput,
  findLastAccess,
  readExpiry,
  readExpiryToInput,
} from "./token-screen-rules.ts";

const now = 1_000;
const edit = { unlimited_quota: false, remain_quota: 0, expired_time: now - 1 };
test.each([
  ["an exhausted token made unlimited", 4, { ...edit, unlimited_quota: true }, 1],
  ["an exhausted token given quota", 4, { ...edit, remain_quota: 1 }, 1],
  ["an exhausted token left empty", 4, edit, 4],
  ["an expired token that never expires now", 3, { ...edit, expired_time: -1 }, 1],
  ["an expired token with a later expiry", 3, { ...edit, expired_time: now + 1 }, 1],
  ["an expired token whose expiry is now", 3, { ...edit, expired_time: now }, 3],
  [
    "a disabled token given everything",
    2,
    { unlimited_quota: true, remain_quota: 9, expired_time: -1 },
    2,
  ],
  ["an enabled token left empty and past", 1, edit, 1],
])("saving %s with status %i sends the right status", (_, status, change, expected) => {
  expect(computeStatusAfterEdit(status, change, now)).toBe(expected);
});

test("an empty expiry is never, and never is an empty expiry", () => {
  expect(findExpiryFromInput("")).toBe(-1);
  expect(readExpiryToInput(-1)).toBe("");
  expect(readExpiryToInput(0)).toBe("");
});

test("an expiry survives the input field to the second", () => {
  expect(findExpiryFromInput(readExpiryToInput(1_795_100_507))).toBe(1_795_100_507);
  expect(readExpiryToInput(1_795_100_507)).toMatch(/^2026-11-(19|20)T\d\d:\d\d:47$/);
});

test("a fraction of a second rounds up, and an invalid time is undefined", () => {
  const whole = findExpiryFromInput("2030-01-02T03:04:05");
  expect(findExpiryFromInput("2030-01-02T03:04:05.001")).toBe((whole ?? 0) + 1);
  expect(findExpiryFromInput("not a date")).toBeUndefined();
});

test("a preset counts from now", () => {
  const start = new Date(2030, 0, 1, 10, 0, 0);
  expect(readExpiry(expiryPresets.month, start)).toBe("2030-01-31T10:00:00");
  expect(readExpiry(expiryPresets.day, start)).toBe("2030-01-02T10:00:00");
  expect(readExpiry(expiryPresets.hour, start)).toBe("2030-01-01T11:00:00");
  expect(readExpiry(expiryPresets.minute, start)).toBe("2030-01-01T10:01:00");
});

test.each([
  ["a tenth of a cent less one unit", { remain_quota: 499 }, true],
  ["a tenth of a cent", { remain_quota: 500 }, false],
  ["no limit", { remain_quota: 0, unlimited_quota: true }, false],
  ["a disabled token", { remain_quota: 1, status: 2 }, false],
  ["a number that the server did not send", { remain_quota: Number.NaN }, false],
])("a rest of %s: %o, covers hardly a call: %s", (_, fields, expected) => {
  expect(coversHardlyACall({ status: 1, unlimited_quota: false, ...fields })).toBe(expected);
});

test("a token whose last access is its creation was never used", () => {
  expect(findLastAccess({ created_time: 100, accessed_time: 100 })).toBeUndefined();
  expect(findLastAccess({ created_time: -1, accessed_time: 0 })).toBe(0);
  expect(findLastAccess({ created_time: 100, accessed_time: 101 })).toBe(101);
  expect(findLastAccess({ created_time: 100, accessed_time: -1 })).toBe(-1);
  expect(findLastAccess({ created_time: 100, accessed_time: Number.NaN })).toBeUndefined();
});
