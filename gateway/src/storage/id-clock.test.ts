import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { correctIdTime, createIdClock } from "./id-clock.ts";
import type { ClockSpanRow } from "./tables/record-tables.ts";
import { computeIdFloor, computeIdTime } from "./time-ids.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const start = Date.UTC(2026, 10, 28);
/** To how many milliseconds a time is shown. */
const grain = 16;

/** A node whose clock is set by hand; `stored` is what its database holds. */
function openNode(node = 0, stored: ClockSpanRow[] = [], newest = 0) {
  let wall = start;
  const clock = createIdClock(node, { newest, spans: stored, now: () => wall });
  const keep = (row: ClockSpanRow): void => {
    const known = stored.findIndex(
      (one) => one.node === row.node && one.started_at === row.started_at,
    );
    if (known < 0) stored.push(row);
    else stored[known] = row;
  };
  return {
    stored,
    set: (at: number) => {
      wall = at;
    },
    follow: () => clock.slowIds().map(keep).length,
    mint: clock.mintId,
    shown: (id: number) => correctIdTime(stored, id),
  };
}

describe("ids after a clock that was ahead", () => {
  test("tell the right time once it is set right, and those of before keep theirs", () => {
    const node = openNode();
    node.set(start + day);
    const wrong = node.mint();
    node.set(start);
    expect(node.follow()).toBe(1);
    const first = node.mint();
    node.set(start + 3 * 60 * minute);
    const later = node.mint();
    expect(node.shown(wrong)).toBe(start + day);
    expect([first, later].map((id) => node.shown(id) - start)).toEqual([0, 3 * 60 * minute]);
    expect(computeIdTime(later) - computeIdTime(wrong)).toBeLessThan(12 * minute);
  });

  test("never repeat or go back, and show any moment rightly until clock and ids have met, and after it", () => {
    const steps = fc.array(fc.integer({ min: grain, max: 3 * 60 * minute }), {
      minLength: 5,
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.integer({ min: 6 * minute, max: 3 * day }), steps, (ahead, passed) => {
        const node = openNode();
        node.set(start + ahead);
        let newest = node.mint();
        let at = start;
        node.set(at);
        node.follow();
        for (const ms of passed) {
          at += ms;
          node.set(at);
          const id = node.mint();
          expect(id).toBeGreaterThan(newest);
          expect(Math.abs(node.shown(id) - at)).toBeLessThan(grain);
          newest = id;
        }
      }),
    );
  });

  test("go on after a restart, and another node's ids of the same time are shown as they are", () => {
    const before = openNode();
    before.set(start + day);
    const wrong = before.mint();
    before.set(start);
    before.follow();
    const after = openNode(0, before.stored, wrong);
    after.set(start + 60 * minute);
    expect(after.follow()).toBe(0);
    const id = after.mint();
    expect(after.shown(id)).toBe(start + 60 * minute);
    expect(after.shown(id + 256)).toBe(computeIdTime(id));
  });

  test("a clock that was set back by mistake is followed again: later ids mean their own time", () => {
    const node = openNode();
    node.set(start + day);
    node.mint();
    node.set(start);
    node.follow();
    node.set(start + minute);
    const slow = node.mint();
    node.set(start + day + 2 * minute);
    expect(node.follow()).toBe(1);
    const id = node.mint();
    expect(computeIdTime(id)).toBe(start + day + 2 * minute);
    expect([node.shown(slow), node.shown(id)]).toEqual([start + minute, start + day + 2 * minute]);
  });

  test("five minutes are nothing", () => {
    const node = openNode(0, [], computeIdFloor(start + 5 * minute));
    expect([node.follow(), node.stored]).toEqual([0, []]);
  });
});
