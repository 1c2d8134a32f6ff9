import { scryptSync } from "node:crypto";
import { hashSync } from "bcryptjs";
import { describe, expect, test } from "vitest";
import { importedHashOf } from "./imported-passwords.ts";
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
  // A hash that costs next to nothing: the queue is the same, and a busy machine gets through it.
  const cheap = "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  const tries = await Promise.allSettled(Array.from({ length: 60 }, () => passwordMatches("x", cheap)));
  const refused = tries.filter((one) => one.status === "rejected");
  expect(refused).toHaveLength(60 - 52);
  expect(refused[0]?.reason).toMatchObject({ code: "sign_in_busy" });
});

describe("a hash of another system", () => {
  const bcrypt = hashSync("correct horse", 4);
  const scrypted = `scrypt:${Buffer.concat([Buffer.alloc(16, 1), scryptSync("correct horse", Buffer.alloc(16, 1), 32, { N: 16_384, r: 8, p: 1 })]).toString("base64")}`;

  test.each([
    ["bcrypt", bcrypt],
    ["bcrypt of PHP", bcrypt.replace("$2b$", "$2y$")],
    ["bcrypt of Go", bcrypt.replace("$2b$", "$2a$")],
    ["scrypt", scrypted],
  ])("matches its own password, and is renewed: %s", async (_, hash) => {
    expect(await passwordMatches("correct horse", hash)).toBe(true);
    expect(await passwordMatches("correct hors", hash)).toBe(false);
    expect(isOutdated(hash)).toBe(true);
  });

  // A published vector of OpenBSD's implementation.
  test("made by another program matches", async () => {
    expect(await passwordMatches("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")).toBe(true);
  });

  test("with a cost that would occupy a core for long is none", async () => {
    const expensive = bcrypt.replace("$04$", "$15$");
    expect(importedHashOf(expensive)).toBeUndefined();
    expect(await passwordMatches("correct horse", expensive)).toBe(false);
  });
});
