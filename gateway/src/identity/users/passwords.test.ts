import { expect, test } from "vitest";
import { hashPassword, isOutdated, passwordMatches } from "./passwords.ts";

test("a password matches only its own hash, however its accents were typed", async () => {
  const hash = await hashPassword("caf\u00e9 au lait");
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwordMatches("cafe\u0301 au lait", hash)).toBe(true);
  expect(await passwordMatches("cafe au lait", hash)).toBe(false);
  expect(isOutdated(hash)).toBe(false);
  expect(isOutdated("$argon2id$v=19$m=4096,t=1,p=1$AA$AA")).toBe(true);
});

test("the password of a user who does not exist never matches", async () => {
  expect(await passwordMatches("", undefined)).toBe(false);
  expect(await passwordMatches("x", "not a hash")).toBe(false);
});

test("a check that the queue cannot hold is refused with a retry time", async () => {
  const tries = await Promise.allSettled(Array.from({ length: 60 }, () => passwordMatches("x", undefined)));
  const refused = tries.filter((one) => one.status === "rejected");
  expect(refused).toHaveLength(60 - 52);
  expect(refused[0]?.reason).toMatchObject({ code: "sign_in_busy" });
});
