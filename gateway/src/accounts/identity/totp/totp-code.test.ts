import { expect, test } from "vitest";
import { composeOtpauthUri, computeTotpCode, encodeBase32, findMatchingStep } from "./totp-code.ts";

// RFC 6238, appendix B, the SHA-1 rows: the last six of the eight digits printed there.
const secret = Buffer.from("12345678901234567890");
const vectors = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
] as const;

test.each(vectors)("the code at second %i is %s", (seconds, code) => {
  expect(computeTotpCode(secret, Math.floor(seconds / 30))).toBe(code);
  expect(findMatchingStep(secret, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
});

test("a code is valid one step early and one step late, and no longer", () => {
  const now = 1_234_567_890_000;
  const step = Math.floor(now / 30_000);
  const found = [-2, -1, 0, 1, 2].map((difference) =>
    findMatchingStep(secret, computeTotpCode(secret, step + difference), now),
  );
  expect(found).toEqual([undefined, step - 1, step, step + 1, undefined]);
});

test.each(["", "12345", "1234567", "abcdef", "２８７０８２"])("%s is no code", (text) =>
  expect(findMatchingStep(secret, text, 59_000)).toBeUndefined(),
);

// RFC 4648, section 10, without padding, as the URI requires.
test.each([
  ["", ""],
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
])("%s in base 32 is %s", (text, encoded) => expect(encodeBase32(Buffer.from(text))).toBe(encoded));

test("the URI can hold any name", () => {
  expect(composeOtpauthUri("Our & Co", "mira:ü", Buffer.from("foobar"))).toBe(
    "otpauth://totp/Our%20%26%20Co:mira%3A%C3%BC?secret=MZXW6YTBOI&issuer=Our%20%26%20Co&algorithm=SHA1&digits=6&period=30",
  );
});
