import * as fc from "fast-check";
import { expect, test } from "vitest";
import { limitWindowMs, openChannelLimits } from "./channel-limits.ts";

function world() {
  const clock = { now: 1_700_000_000_000 };
  return { clock, limits: openChannelLimits(() => clock.now) };
}

test("a key is stopped at the limit of a channel, others and other channels are not", () => {
  const { clock, limits } = world();
  const channel = { id: 1, ratelimit: 2 };
  expect([1, 2, 3].map(() => limits.take(7, channel))).toEqual([true, true, false]);
  expect([limits.take(8, channel), limits.take(7, { id: 2, ratelimit: 2 })]).toEqual([true, true]);
  expect(limits.waitMs(8, channel)).toBe(0);
  const waitMs = limits.waitMs(7, channel);
  expect(waitMs).toBeGreaterThan(limitWindowMs);
  expect(waitMs).toBeLessThanOrEqual(limitWindowMs + 10_000);
  clock.now += waitMs - 1;
  expect(limits.take(7, channel)).toBe(false);
  clock.now += 1;
  expect(limits.take(7, channel)).toBe(true);
});

test("0 is no limit, and a limit that is lowered counts what was sent before", () => {
  const { limits } = world();
  for (let call = 0; call < 1_000; call += 1) expect(limits.take(1, { id: 1, ratelimit: 0 })).toBe(true);
  for (let call = 0; call < 5; call += 1) expect(limits.take(1, { id: 2, ratelimit: 5 })).toBe(true);
  expect(limits.waitMs(1, { id: 2, ratelimit: 1 })).toBeGreaterThan(0);
  expect(limits.waitMs(1, { id: 2, ratelimit: 6 })).toBe(0);
});

test("no three minutes hold more calls than the limit, and who waits as long as told is served", () => {
  const gaps = fc.array(fc.oneof(fc.nat(3_000), fc.nat(60_000)), { maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), gaps, (ratelimit, waits) => {
      const { clock, limits } = world();
      const channel = { id: 1, ratelimit };
      const sent: number[] = [];
      for (const gap of waits) {
        clock.now += gap;
        const waitMs = limits.waitMs(1, channel);
        expect(limits.take(1, channel)).toBe(waitMs === 0);
        if (waitMs > 0) {
          // Refused only when the limit was really reached about then.
          expect(sent.filter((at) => at > clock.now - limitWindowMs - 10_000).length).toBeGreaterThanOrEqual(ratelimit);
          clock.now += waitMs;
          expect(limits.take(1, channel)).toBe(true);
        }
        sent.push(clock.now);
      }
      for (const at of sent)
        expect(sent.filter((other) => other >= at && other < at + limitWindowMs).length).toBeLessThanOrEqual(ratelimit);
    }),
  );
});
