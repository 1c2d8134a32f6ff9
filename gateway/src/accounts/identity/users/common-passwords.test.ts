import { expect, test } from "vitest";
import { isCommonPassword } from "./common-passwords.ts";

test.each([
  "password",
  "Password1",
  "p@ssw0rd!",
  "passw0rd123",
  "iloveyou",
  "1q2w3e4r",
  "12345678",
  "987654321",
  "qwertyuiop",
  "asdfghjkl",
  "abcdefgh",
  "aaaaaaaa",
  "12121212",
  "abcabcabc",
  "football2024",
  "123sunshine",
  "trustno1",
  "Let Me In 1",
  "letmein123!",
  "mira.kovacs",
  "MIRA.KOVACS",
  "scavok.arim",
])("%s is refused", (password) => {
  expect(isCommonPassword(password, "mira.kovacs")).toBe(true);
});

test.each([
  "correct horse",
  "correct horse battery",
  "a password for tests",
  "sunshine over the harbour",
  "tr0ub4dor&3",
  "mira.kovacs paints",
  "пароль для входа",
  "kX9!vq2Lm",
])("%s is accepted", (password) => {
  expect(isCommonPassword(password, "mira.kovacs")).toBe(false);
});
