import { describe, expect, test } from "vitest";
import { type ClockJump, createSteadyClock } from "./steady-clock.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const start = Date.UTC(2026, 10, 28);

/**
 * A machine whose clock is set by hand; `server` is how far PostgreSQL's clock is from the true
 * time, undefined without one.
 */
function machine({ server }: { server?: () => number } = {}) {
  const jumps: ClockJump[] = [];
  let passed = 0;
  let set = 0;
  const now = createSteadyClock({
    wall: () => start + passed + set,
    elapsed: () => passed + 0.25,
    ...(server && { askServer: async () => start + passed + server() }),
    onJump: (jump) => jumps.push(jump),
  });
  return {
    jumps,
    /** `offAfter` says how far the clock of ids is from the true time. */
    async offAfter(ms: number, change = 0) {
      passed += ms;
      set += change;
      now();
      await Promise.resolve();
      await Promise.resolve();
      await Promise.resolve();
      return now() - start - passed;
    },
  };
}

describe("the clock of ids", () => {
  test("follows the machine, small corrections and a clock that is set back", async () => {
    const { offAfter, jumps } = machine();
    expect(await offAfter(minute)).toBe(0);
    expect(await offAfter(minute, 5 * minute)).toBe(5 * minute);
    expect(await offAfter(minute, -4 * minute)).toBe(minute);
    expect(jumps).toEqual([]);
    expect(await offAfter(minute, -day)).toBe(minute - day);
    expect(jumps).toEqual([{ aheadMs: -day, isFollowed: true }]);
  });

  test("follows a jump ahead only once it has stood for a minute, and says both", async () => {
    const { offAfter, jumps } = machine();
    expect(await offAfter(0, day)).toBe(0);
    expect(await offAfter(59_000)).toBe(0);
    expect(jumps).toEqual([{ aheadMs: day, isFollowed: false }]);
    expect(await offAfter(1_000)).toBe(day);
    expect(jumps.at(-1)).toEqual({ aheadMs: day, isFollowed: true });
  });

  test("dates nothing by a jump that was taken back within the minute", async () => {
    const { offAfter } = machine();
    expect(await offAfter(1_000, day)).toBe(0);
    expect(await offAfter(30_000, -day)).toBe(0);
    expect(await offAfter(2 * minute)).toBe(0);
  });

  test("begins anew where the second read shows another time", async () => {
    const { offAfter } = machine();
    expect(await offAfter(0, day)).toBe(0);
    expect(await offAfter(minute, day)).toBe(0);
    expect(await offAfter(minute - 1)).toBe(0);
    expect(await offAfter(1)).toBe(2 * day);
  });

  test("follows at once what PostgreSQL's clock shows too", async () => {
    let set = 0;
    const { offAfter, jumps } = machine({ server: () => set });
    set = day;
    expect(await offAfter(0, day)).toBe(day);
    expect(jumps.map(({ isFollowed }) => isFollowed)).toEqual([false, true]);
  });

  test("never follows what PostgreSQL's clock does not show", async () => {
    const { offAfter } = machine({ server: () => 0 });
    expect(await offAfter(0, day)).toBe(0);
    for (let n = 0; n < 5; n += 1) expect(await offAfter(minute)).toBe(0);
  });
});
