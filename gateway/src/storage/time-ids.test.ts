import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  buildIdMint,
  buildIdsAhead,
  composeUuidFromId,
  computeIdFloor,
  computeIdTime,
  EPOCH_MS,
  findIdFromRequestId,
  findIdFromUuid,
  nodesMax,
  readUuid7,
  requestIdFromId,
} from "./time-ids.ts";

const lastMs = Date.UTC(2093, 0, 1);
const moment = fc.integer({ min: EPOCH_MS, max: lastMs });
const anyId = fc.tuple(moment, fc.nat({ max: 4095 })).map(([ms, low]) => computeIdFloor(ms) + low);

describe("time ids", () => {
  test("are safe integers that encode their time", () => {
    fc.assert(
      fc.property(moment, fc.nat({ max: 4095 }), (ms, low) => {
        const id = computeIdFloor(ms) + low;
        expect(Number.isSafeInteger(id)).toBe(true);
        expect(computeIdTime(id)).toBe(ms);
      }),
    );
  });

  test("and their uuids read back, and order alike", () => {
    fc.assert(
      fc.property(anyId, anyId, (one, other) => {
        expect(findIdFromUuid(composeUuidFromId(one))).toBe(one);
        expect(composeUuidFromId(one)).toMatch(
          /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
        );
        expect(composeUuidFromId(one) < composeUuidFromId(other)).toBe(one < other);
      }),
    );
  });

  test("and their request ids read back, order alike, and have 21 digits", () => {
    fc.assert(
      fc.property(anyId, anyId, (one, other) => {
        expect(findIdFromRequestId(requestIdFromId(one))).toBe(one);
        expect(requestIdFromId(one)).toMatch(/^\d{21}$/);
        expect(requestIdFromId(one) < requestIdFromId(other)).toBe(one < other);
      }),
    );
  });

  test("no other text parses as one: what parses formats to the same text", () => {
    const digits = fc.stringMatching(/^\d{21}$/);
    fc.assert(
      fc.property(digits, (text) => {
        const id = findIdFromRequestId(text);
        if (id !== undefined) expect(requestIdFromId(id)).toBe(text);
      }),
      { numRuns: 2_000 },
    );
    for (const text of [
      "",
      "x",
      "202611201200000000000",
      "20261320120000000000",
      "202602301200000000000 ",
    ]) {
      const id = findIdFromRequestId(text);
      if (id !== undefined) expect(requestIdFromId(id)).toBe(text);
    }
  });

  test.each([
    "01940000-0000-4000-8000-000000000000",
    "01940000-0000-7000-9000-000000000000",
    "01940000-0000-7000-8000-000000000001",
    "01940000-0000-7000-8000-00000000000",
    "01940000000070008000000000000000",
    "' or 1=1 --",
  ])("%s is no uuid of ours", (text) => expect(findIdFromUuid(text)).toBeUndefined());
});

test.each([
  [-86_400_000, "little"],
  [300_000, "little"],
  [300_001, "some"],
  [3_600_000, "some"],
  [3_600_001, "much"],
])("ids that are %d ms ahead of the clock are ahead by %s", (aheadMs, expected) => {
  expect(buildIdsAhead(aheadMs)).toBe(expected);
});

describe("a mint", () => {
  /** A clock that jumps, stops and runs, forwards and backwards. */
  const jumps = fc.array(
    fc.oneof(fc.constant(0), fc.integer({ min: -10_000_000, max: 10_000_000 }), fc.nat({ max: 2 })),
    {
      minLength: 1,
      maxLength: 400,
    },
  );

  test("never repeats an id and never decreases, whatever the clock does", {
    tags: ["FT-18"],
  }, () => {
    fc.assert(
      fc.property(
        jumps,
        fc.nat({ max: nodesMax - 1 }),
        fc.integer({ min: 1, max: 700 }),
        (clock, node, burst) => {
          let now = Date.UTC(2026, 0, 1);
          const mint = buildIdMint(node, 0, () => now);
          let last = 0;
          for (const jump of clock) {
            now = Math.max(EPOCH_MS, now + jump);
            for (let n = 0; n < (jump === 0 ? burst : 1); n += 1) {
              const id = mint();
              expect(id).toBeGreaterThan(last);
              expect(Math.floor((id % 4096) / 256)).toBe(node);
              last = id;
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test("continues after the newest stored id, even one in the future", () => {
    fc.assert(
      fc.property(anyId, fc.nat({ max: nodesMax - 1 }), (newest, node) => {
        const mint = buildIdMint(node, newest, () => Date.UTC(2026, 0, 1));
        expect(mint.newestAt()).toBe(computeIdTime(newest));
        const id = mint();
        expect(id).toBeGreaterThan(newest);
        expect(mint.newestAt()).toBe(computeIdTime(id));
      }),
    );
  });

  test("of different nodes mints different ids in the same millisecond", () => {
    const mints = Array.from({ length: nodesMax }, (_, node) =>
      buildIdMint(node, 0, () => Date.UTC(2026, 0, 1)),
    );
    const ids = Array.from({ length: 600 }, () => mints.map((mint) => mint())).flat();
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("stays at the clock: a thousand ids in a second do not run ahead of it", () => {
    let now = Date.UTC(2026, 0, 1);
    const mint = buildIdMint(0, 0, () => now);
    for (let n = 0; n < 1_000; n += 1) {
      now += 1;
      expect(computeIdTime(mint())).toBe(now);
    }
  });
});

test("random uuids are of version 7, encode their time and differ", () => {
  const ids = Array.from({ length: 1_000 }, () => readUuid7(Date.UTC(2026, 0, 1)));
  for (const id of ids)
    expect(id).toMatch(/^019b76da-a800-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(ids).size).toBe(1_000);
});
