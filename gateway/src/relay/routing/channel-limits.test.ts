import { expect, test } from "vitest";
import { createMemoryCounters } from "../../limits/counters.ts";
import { createChannelLimits, limitWindowMs, noWaits } from "./channel-limits.ts";

function world() {
  const clock = { now: 1_700_000_000_000 };
  return { clock, limits: createChannelLimits(createMemoryCounters(() => clock.now)) };
}

test("the limit of a channel stops one key, but not other keys and not other channels", async () => {
  const { clock, limits } = world();
  const channel = { id: 1, ratelimit: 2 };
  const other = { id: 2, ratelimit: 2 };
  const taken = [
    await limits.consume(7, channel),
    await limits.consume(7, channel),
    await limits.consume(7, channel),
  ];
  expect(taken).toEqual([true, true, false]);
  expect([await limits.consume(8, channel), await limits.consume(7, other)]).toEqual([true, true]);
  expect(await limits.waitsFor(8, [channel, other])).toEqual(
    new Map([
      [1, 0],
      [2, 0],
    ]),
  );
  const waitMs = (await limits.waitsFor(7, [channel, other])).get(1) ?? 0;
  expect(waitMs).toBe(limitWindowMs);
  clock.now += waitMs - 1;
  expect(await limits.consume(7, channel)).toBe(false);
  clock.now += 1;
  expect(await limits.consume(7, channel)).toBe(true);
});

test("0 means no limit and needs no counter, and a lowered limit counts earlier calls", async () => {
  const { limits } = world();
  const free = { id: 1, ratelimit: 0 };
  for (let call = 0; call < 1_000; call += 1) expect(await limits.consume(1, free)).toBe(true);
  expect(limits.waitsFor(1, [free])).toBe(noWaits);
  for (let call = 0; call < 5; call += 1)
    expect(await limits.consume(1, { id: 2, ratelimit: 5 })).toBe(true);
  expect((await limits.waitsFor(1, [free, { id: 2, ratelimit: 1 }])).get(2)).toBeGreaterThan(0);
  expect((await limits.waitsFor(1, [{ id: 2, ratelimit: 6 }])).get(2)).toBe(0);
});
