import { expect, test } from "vitest";
import { requireStartClock } from "./start-clock.ts";

const now = Date.UTC(2026, 10, 28, 14, 27, 48);
const minute = 60_000;

function start(aheadMs: number, acceptsFutureIds = false): unknown[] {
  const told: unknown[] = [];
  const log = { warn: (fields: object) => told.push(fields) };
  requireStartClock(now + aheadMs, { now, acceptsFutureIds, log });
  return told;
}

test("entries that are at most five minutes ahead of the clock are nothing", () => {
  expect([start(-minute), start(5 * minute)]).toEqual([[], []]);
});

test("up to an hour ahead, the start warns", () => {
  const told = { event: "ids_ahead", newest: "2026-11-28 15:27:48 UTC", aheadSeconds: 3_600 };
  expect(start(60 * minute)).toEqual([told]);
});

test("further ahead, it is refused with both times and the way out, and accepted with a warning", () => {
  const day = 24 * 60 * minute;
  expect(() => start(day)).toThrow(
    /2026-11-29 14:27:48 UTC, and the clock of this machine shows 2026-11-28 14:27:48 UTC.*--accept-future-ids/,
  );
  expect(start(day, true)).toMatchObject([{ event: "ids_ahead", aheadSeconds: 86_400 }]);
});
