import { scryptSync } from "node:crypto";
import { hashSync } from "bcryptjs";
import { describe, expect, test } from "vitest";
import { readImportedHash } from "./imported-passwords.ts";
import {
  hashPassword,
  isCarriedHash,
  isOutdated,
  passwordMatches,
  renewHash,
} from "./passwords.ts";

const office = "192.0.2.1";

test("a password matches only its own hash, however its accents were typed", async () => {
  const hash = await hashPassword("caf\u00e9 au lait", office);
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwordMatches("cafe\u0301 au lait", hash, office)).toBe(true);
  expect(await passwordMatches("cafe au lait", hash, office)).toBe(false);
  expect(isOutdated(hash)).toBe(false);
  expect(isOutdated("$argon2id$v=19$m=4096,t=1,p=1$AA$AA")).toBe(true);
});

test("the password of a user who does not exist never matches", async () => {
  expect(await passwordMatches("", undefined, office)).toBe(false);
  expect(await passwordMatches("x", "not a hash", office)).toBe(false);
});

describe("a queue of checks", () => {
  // A hash that costs next to nothing: the queue is the same, and a busy machine gets through it.
  const cheap =
    "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  const refusedOf = async (addresses: readonly string[]) => {
    const tries = await Promise.allSettled(
      addresses.map((address) => passwordMatches("x", cheap, address)),
    );
    return tries.flatMap((one, index) =>
      one.status === "rejected" ? [{ index, reason: one.reason }] : [],
    );
  };

  test("refuses what it cannot hold, with a retry time", async () => {
    const refused = await refusedOf(Array.from({ length: 60 }, (_, n) => `192.0.2.${n}`));
    expect(refused.map(({ index }) => index)).toEqual([52, 53, 54, 55, 56, 57, 58, 59]);
    expect(refused[0]?.reason).toMatchObject({ code: "sign_in_busy" });
  });

  test("has room for everyone while one source floods it", { tags: ["FT-34"] }, async () => {
    const flood = Array.from({ length: 60 }, (_, n) => `2001:db8::${n.toString(16)}`);
    const refused = await refusedOf([
      ...flood,
      ...Array.from({ length: 40 }, (_, n) => `192.0.2.${n}`),
    ]);
    // Two run and six wait; the others of that source are refused, and nobody else.
    expect(refused.map(({ index }) => index)).toEqual(flood.map((_, n) => n).slice(8));
  });
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
    expect(await passwordMatches("correct horse", hash, office)).toBe(true);
    expect(await passwordMatches("correct hors", hash, office)).toBe(false);
    expect(isOutdated(hash)).toBe(true);
  });

  // A published vector of OpenBSD's implementation.
  test("made by another program matches", async () => {
    expect(
      await passwordMatches(
        "U*U",
        "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        office,
      ),
    ).toBe(true);
  });

  test("with a cost that would occupy a core for long is none", async () => {
    const expensive = bcrypt.replace("$04$", "$15$");
    expect(readImportedHash(expensive)).toBeUndefined();
    expect(await passwordMatches("correct horse", expensive, office)).toBe(false);
  });
});

test("a hash that a sign-in renews matches, and tells that its password is the imported one", async () => {
  const imported = "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
  const renewed = await renewHash("a password", imported, "");
  expect(isCarriedHash(imported)).toBe(true);
  expect(isCarriedHash(renewed)).toBe(true);
  expect(isOutdated(renewed)).toBe(false);
  expect(await passwordMatches("a password", renewed, "")).toBe(true);
  expect(await passwordMatches("another password", renewed, "")).toBe(false);
  expect(isCarriedHash(await renewHash("a password", renewed, ""))).toBe(true);
  const changed = await hashPassword("a new password", "");
  expect(isCarriedHash(changed)).toBe(false);
  expect(isCarriedHash(await renewHash("a new password", changed, ""))).toBe(false);
});
