import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBreakers } from "./breakers.ts";

function world() {
  const clock = { now: 1_000_000 };
  const breakers = createBreakers(() => clock.now);
  const fail = (status = 503, retryAfterMs?: number) =>
    breakers.acquire(1, "m").failed(status, retryAfterMs);
  const phase = (): string => {
    const found = breakers.find(1, "m");
    if (!found) return "closed";
    if (!found.isOpen) return found.isOnTrial ? "on trial" : "half open";
    return `open for ${(found.openUntil - clock.now) / 1000} s${found.isHard ? ", as it asked" : ""}`;
  };
  return { clock, breakers, fail, phase };
}

describe("a breaker", () => {
  test("opens for a while after a failure, lets one call try, and closes when that works", () => {
    const { clock, breakers, fail, phase } = world();
    expect(phase()).toBe("closed");
    fail();
    expect(phase()).toBe("open for 30 s");
    clock.now += 29_999;
    expect(phase()).toBe("open for 0.001 s");
    clock.now += 1;
    expect(phase()).toBe("half open");
    const trial = breakers.acquire(1, "m");
    expect(phase()).toBe("on trial");
    breakers.acquire(1, "m").release();
    expect(phase()).toBe("on trial");
    trial.succeeded();
    expect(phase()).toBe("closed");
  });

  test("stays open twice as long after each failed trial, five minutes at most, and starts over after a success", () => {
    const { clock, breakers, fail, phase } = world();
    const pauses = [30, 60, 120, 240, 300, 300];
    for (const seconds of pauses) {
      fail();
      expect(phase()).toBe(`open for ${seconds} s`);
      clock.now += seconds * 1000;
    }
    breakers.acquire(1, "m").succeeded();
    fail();
    expect(phase()).toBe("open for 30 s");
  });

  test("says since when it has not been closed, over failed trials, and anew after a success", () => {
    const { clock, breakers, fail } = world();
    const since = () => breakers.list()[0]?.since;
    const first = clock.now;
    for (let tries = 0; tries < 3; tries += 1) {
      fail();
      expect(since()).toBe(first);
      clock.now += 100_000;
    }
    breakers.acquire(1, "m").succeeded();
    expect(since()).toBeUndefined();
    fail();
    expect(since()).toBe(clock.now);
  });

  test.each([
    [0, undefined, "open for 30 s"],
    [500, 5_000, "open for 30 s"],
    [401, undefined, "open for 60 s"],
    [403, undefined, "open for 60 s"],
    [429, undefined, "open for 60 s"],
    [429, 7_000, "open for 7 s, as it asked"],
    [429, 999_999_999, "open for 60 s, as it asked"],
  ])("after status %i with Retry-After %s is %s", (status, retryAfterMs, expected) => {
    const { fail, phase } = world();
    fail(status, retryAfterMs);
    expect(phase()).toBe(expected);
  });

  test("counts calls that failed together once", () => {
    const { clock, breakers, phase } = world();
    const together = Array.from({ length: 20 }, () => breakers.acquire(1, "m"));
    for (const pass of together) pass.failed(503, undefined);
    expect(phase()).toBe("open for 30 s");
    clock.now += 30_000;
    breakers.acquire(1, "m").failed(503, undefined);
    expect(phase()).toBe("open for 60 s");
  });

  test("closes when a call that used it as a last resort succeeds", () => {
    const { breakers, fail, phase } = world();
    fail();
    breakers.acquire(1, "m").succeeded();
    expect(phase()).toBe("closed");
  });

  test("leaves the decision to the trial, but accepts a time that the upstream gives to any call", () => {
    const { clock, breakers, fail, phase } = world();
    fail();
    clock.now += 30_000;
    breakers.acquire(1, "m");
    fail(503);
    expect(phase()).toBe("on trial");
    fail(429, 4_000);
    expect(phase()).toBe("open for 4 s, as it asked");
  });

  test("lets another call try when the trial has no result or takes too long", () => {
    const { clock, breakers, fail, phase } = world();
    fail();
    clock.now += 30_000;
    breakers.acquire(1, "m").release();
    expect(phase()).toBe("half open");
    breakers.acquire(1, "m");
    clock.now += 60_000;
    expect(phase()).toBe("half open");
  });

  test("is separate for each channel and model, and is dropped when no call comes", () => {
    const { clock, breakers, fail } = world();
    fail();
    breakers.acquire(2, "m").failed(401, undefined);
    breakers.acquire(1, "n").failed(0, undefined);
    expect(
      breakers.list().map(({ channelId, model, reason }) => [channelId, model, reason]),
    ).toEqual([
      [1, "m", "status 503"],
      [2, "m", "status 401"],
      [1, "n", "no answer"],
    ]);
    clock.now += 700_000;
    expect([breakers.list(), breakers.find(1, "m")]).toEqual([[], undefined]);
  });
});

test("whatever happens, at most one trial is under way, no pause is longer than its bound, and success closes", () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("enter" as const) }),
    fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 200_000 }) }),
    fc.record({
      do: fc.constantFrom("worked" as const, "failed" as const, "ended" as const),
      which: fc.nat(30),
      status: fc.constantFrom(0, 401, 429, 503),
      retryAfterMs: fc.option(fc.integer({ min: 0, max: 1e9 }), { nil: undefined }),
    }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { clock, breakers } = world();
      const running: ReturnType<typeof breakers.acquire>[] = [];
      for (const one of steps) {
        const before = breakers.find(1, "m");
        if (one.do === "enter") {
          running.push(breakers.acquire(1, "m"));
          // Half open and free before, now taken; the rest is unchanged.
          const isFree = before && !before.isOpen && !before.isOnTrial;
          expect(breakers.find(1, "m")).toEqual(isFree ? { ...before, isOnTrial: true } : before);
        } else if (one.do === "wait") clock.now += one.ms;
        else {
          const [pass] = running.splice(one.which % Math.max(1, running.length), 1);
          if (one.do === "worked") pass?.succeeded();
          else if (one.do === "ended") pass?.release();
          else pass?.failed(one.status, one.retryAfterMs);
          const after = breakers.find(1, "m");
          if (pass && one.do === "worked") expect(after).toBeUndefined();
          if (pass && one.do === "failed") expect(after).toBeDefined();
        }
        const found = breakers.find(1, "m");
        if (found?.isOpen) {
          expect(found.openUntil - clock.now).toBeLessThanOrEqual(found.isHard ? 60_000 : 300_000);
          expect(found.isOnTrial).toBe(false);
        }
      }
    }),
    { numRuns: 300 },
  );
});
