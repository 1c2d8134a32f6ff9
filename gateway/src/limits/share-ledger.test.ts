import { expect, test } from "vitest";
import { computeShare, ShareLedger } from "./share-ledger.ts";

test("a share is an eighth, or one item of the largest size where that is more", () => {
  expect(computeShare(800)).toBe(100);
  expect(computeShare(4)).toBe(1);
  expect(computeShare(800, 300)).toBe(300);
  expect(computeShare(800, 50)).toBe(100);
  // Nobody takes more than there is.
  expect(computeShare(200, 300)).toBe(200);
});

test("an owner takes its share and no more, and leaves the rest to the others", {
  tags: ["FT-34"],
}, () => {
  const ledger = new ShareLedger<string>(80);
  expect(ledger.take("greedy", 10)).toBeUndefined();
  expect(ledger.take("greedy")).toBe("share");
  for (const one of ["a", "b", "c", "d", "e", "f", "g"])
    expect(ledger.take(one, 10)).toBeUndefined();
  expect(ledger.take("late", 1)).toBe("total");
  expect(ledger.taken).toBe(80);
  ledger.give("a", 10);
  expect(ledger.shortageOf("late", 10)).toBeUndefined();
  expect(ledger.take("late", 10)).toBeUndefined();
  expect(ledger.take("late", 1)).toBe("share");
});

test("what was given back can be taken again", () => {
  const ledger = new ShareLedger<number>(8);
  for (let n = 0; n < 100; n += 1) {
    expect(ledger.take(n)).toBeUndefined();
    ledger.give(n);
  }
  expect(ledger.taken).toBe(0);
});
