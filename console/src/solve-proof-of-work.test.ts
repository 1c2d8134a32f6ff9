import fc from "fast-check";
import { expect, test } from "vitest";
import { answerWork, hashSha256 } from "./solve-proof-of-work.ts";

/** As the platform computes it. */
const reference = async (text: string) => {
  const bytes = new Uint8Array(
    await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)),
  );
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
};
const hex = (words: Uint32Array) =>
  [...words].map((word) => word.toString(16).padStart(8, "0")).join("");

test("the hash is SHA-256", async () => {
  const ascii = fc.stringMatching(/^[\x20-\x7e]{0,200}$/);
  await fc.assert(
    fc.asyncProperty(ascii, async (text) => {
      expect(hex(hashSha256(text))).toBe(await reference(text));
    }),
    { numRuns: 500 },
  );
});

test("the answer's hash begins with the zero bits that were asked for", async () => {
  const answer = String(await answerWork({ challenge: "a.b.c", bits: 12 }));
  expect(answer).toMatch(/^a\.b\.c\.\d+$/);
  expect((await reference(answer)).slice(0, 3)).toBe("000");
});

test("a search that the page gives up ends", async () => {
  await expect(answerWork({ challenge: "a", bits: 22 }, AbortSignal.abort())).rejects.toThrow();
});

test("what is no task, or asks for too much, has no answer", async () => {
  for (const task of [
    null,
    1,
    {},
    { challenge: "a" },
    { challenge: "ä", bits: 1 },
    { challenge: "a", bits: 23 },
  ])
    expect(await answerWork(task)).toBeUndefined();
});
