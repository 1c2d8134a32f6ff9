import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  computeLeadingZeroBits,
  findCheckedWork,
  type WorkSubject,
  workChallenge,
  workKey,
  workLifetimeMs,
} from "./work-rules.ts";

const key = workKey(new Uint8Array(32).fill(7));
const subject: WorkSubject = { purpose: "register", source: "203.0.113.7" };
const nonce = "AAAAAAAAAAAAAAAAAAAAAA";
const now = 1_795_000_000_000;
const bits = 8;
const challenge = workChallenge(key, subject, { bits, nonce, now });

function solve(task: string, zeros: number): string {
  for (let number = 0; ; number += 1) {
    const answer = `${task}.${number}`;
    if (computeLeadingZeroBits(createHash("sha256").update(answer).digest()) >= zeros)
      return answer;
  }
}
const answer = solve(challenge, bits);
const check = (
  text: string,
  more: { subject?: WorkSubject; bits?: number; now?: number; key?: Uint8Array } = {},
) =>
  findCheckedWork(more.key ?? key, more.subject ?? subject, text, {
    bits: more.bits ?? bits,
    now: more.now ?? now,
  });

describe("proof of work", () => {
  test("an answer is right for its purpose and network, until its end, and for less than was asked for", () => {
    expect(check(answer)).toBe(nonce);
    expect(check(answer, { bits: 3 })).toBe(nonce);
    expect(check(answer, { now: now + workLifetimeMs - 1 })).toBe(nonce);
  });

  test("any other answer is wrong", () => {
    expect(check(answer, { now: now + workLifetimeMs })).toBeUndefined();
    expect(check(answer, { bits: 9 })).toBeUndefined();
    expect(check(answer, { subject: { ...subject, purpose: "reset" } })).toBeUndefined();
    expect(check(answer, { subject: { ...subject, source: "203.0.113.8" } })).toBeUndefined();
    expect(check(answer, { key: workKey(new Uint8Array(32)) })).toBeUndefined();
    const easier = challenge.replace(/^([^.]+)\.8\./, "$1.1.");
    expect(easier).not.toBe(challenge);
    expect(check(solve(easier, 8), { bits: 1 })).toBeUndefined();
    const later = challenge.replace(/^[^.]+/, (end) => (Number.parseInt(end, 36) + 1).toString(36));
    expect(check(solve(later, 8))).toBeUndefined();
    let wrong = 0;
    while (
      computeLeadingZeroBits(createHash("sha256").update(`${challenge}.${wrong}`).digest()) >= bits
    )
      wrong += 1;
    expect(check(`${challenge}.${wrong}`)).toBeUndefined();
    expect(check(`${answer}0 `)).toBeUndefined();
  });

  test("no text that is not an answer is accepted or does harm", () => {
    const parts = fc.array(
      fc.oneof(fc.string(), fc.constantFrom(...challenge.split("."), "", "8", "0")),
      {
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          parts.map((list) => list.join(".")),
        ),
        (text) => {
          expect(check(text, { bits: 1 })).toBeUndefined();
        },
      ),
      { numRuns: 5_000 },
    );
  });

  test("zero bits are counted from the front", () => {
    expect(
      [[255], [1], [0, 255], [0, 1], [0, 0]].map((bytes) =>
        computeLeadingZeroBits(Uint8Array.from(bytes)),
      ),
    ).toEqual([0, 7, 8, 15, 16]);
  });
});
