import { expect, test } from "vitest";
import { hashSecret, wholeCode, wholeKey } from "./whole-secret.ts";

const key = "aB3".repeat(16);

test.each([
  [`sk-${key}`, key],
  [key, key],
  // Cut off: no name, and nothing that may stand in an address.
  [`sk-${key.slice(0, 20)}`, key.slice(0, 20)],
  ["sk-short", undefined],
  ["Support", undefined],
])("the whole key in %j is %j", (text, secret) => {
  expect(wholeKey.secretIn(text)).toBe(secret);
});

test("a whole code is 32 digits of its alphabet", () => {
  expect(wholeCode.secretIn("0f".repeat(16))).toBe("0f".repeat(16));
  expect(wholeCode.secretIn("0f".repeat(15))).toBeUndefined();
  expect(wholeCode.secretIn("Spring campaign")).toBeUndefined();
});

test("the hash is SHA-256 in hex, as the gateway stores it", async () => {
  // The example of FIPS 180-2.
  expect(await hashSecret("abc")).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});
