import { expect, test } from "vitest";
import { hashRecoveryCode, makeRecoveryCodes } from "./recovery-codes.ts";

test("eight different codes that are easy to type", () => {
  const codes = makeRecoveryCodes();
  expect(new Set(codes).size).toBe(8);
  for (const code of codes) expect(code).toMatch(/^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
});

test("a code is the same however it is typed, and no other code is", () => {
  const [one = "", other = ""] = makeRecoveryCodes();
  expect(hashRecoveryCode(one.toLowerCase().replaceAll("-", " "))).toBe(hashRecoveryCode(one));
  expect(hashRecoveryCode(other)).not.toBe(hashRecoveryCode(one));
});
