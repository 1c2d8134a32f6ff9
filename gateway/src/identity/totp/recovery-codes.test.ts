import { expect, test } from "vitest";
import { newRecoveryCodes, recoveryCodeHash } from "./recovery-codes.ts";

test("eight different codes that are easy to type", () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(8);
  for (const code of codes) expect(code).toMatch(/^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
});

test("a code is the same however it is typed, and no other code is", () => {
  const [one = "", other = ""] = newRecoveryCodes();
  expect(recoveryCodeHash(one.toLowerCase().replaceAll("-", " "))).toBe(recoveryCodeHash(one));
  expect(recoveryCodeHash(other)).not.toBe(recoveryCodeHash(one));
});
