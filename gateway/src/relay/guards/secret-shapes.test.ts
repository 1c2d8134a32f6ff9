import { randomInt } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { computeEntropy, findSecretFinder, readCrcChecksum } from "./secret-shapes.ts";

const find = findSecretFinder("sk-");
const lettersAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const pick = (alphabet: string, length: number) =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
const random = (length: number) => pick(lettersAndDigits, length);
const letters = fc.stringMatching(/^[A-Za-z0-9]{30}$/);

test("a token with a checksum is one only if the checksum is right", () => {
  fc.assert(
    fc.property(letters, fc.constantFrom("ghp_", "gho_", "npm_"), (text, prefix) => {
      const checksum = readCrcChecksum(text);
      expect(find(`use ${prefix}${text}${checksum} here`)).toMatch(/GitHub|npm/);
      const wrong = checksum.startsWith("0") ? `1${checksum.slice(1)}` : `0${checksum.slice(1)}`;
      expect(find(`use ${prefix}${text}${wrong} here`)).toBeUndefined();
    }),
  );
});

test("keys of providers, private keys and keys of this gateway are found", () => {
  const found = [
    `AKIA${"QZ3JX7LM2NB5VTRW"}`,
    `AIza${random(35)}`,
    `sk-ant-api03-${random(93)}AA`,
    `sk-proj-${random(120)}`,
    `hf_${random(34)}`,
    `glpat-${random(20)}`,
    `xoxb-${random(40)}`,
    `sk_live_${random(24)}`,
    `tgm-${random(48)}`,
    `sk-${random(48)}`,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
    "-----BEGIN PRIVATE KEY-----",
  ].map((secret) => find(`password = "${secret}"`));
  expect(found).not.toContain(undefined);
});

test("random keys are found however short they are", () => {
  const keys = Array.from(
    { length: 2000 },
    () => `AKIA${pick("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)}`,
  );
  expect(keys.filter((key) => find(key) === undefined)).toEqual([]);
});

test("placeholders and ordinary words are no credentials", () => {
  const texts = [
    "AKIAAAAAAAAAAAAAAAAA",
    `sk-proj-${"x".repeat(60)}`,
    `glpat-${"0".repeat(20)}`,
    "-----BEGIN PUBLIC KEY-----",
    `a_longer_name_sk-${random(48)}`,
    "sk-learn and the rest of the package",
  ];
  expect(texts.filter((text) => find(text) !== undefined)).toEqual([]);
});

test("entropy is that of the characters", () => {
  expect(computeEntropy("aaaa")).toBeCloseTo(0);
  expect(computeEntropy("abab")).toBeCloseTo(1);
  expect(computeEntropy("abcdefgh")).toBeCloseTo(3);
});
