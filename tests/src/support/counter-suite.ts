/** The common test suite of counters: one node in memory, and several nodes with Redis. */

import {
  type Counters,
  computeSlotMs,
  type RateWindow,
} from "@tollgate/gateway/limits/counters.ts";
import * as fc from "fast-check";
import { expect, test } from "vitest";

export interface CounterTestSetup {
  clock: { now: number };
  /** Counters that share their counts. */
  nodes: readonly [Counters, ...Counters[]];
  /** Resolves when refunds that were not awaited have been processed. */
  settled(): Promise<void>;
}

let names = 0;
/** A name that was not used before. */
function uniqueName(kind: string): string {
  names += 1;
  return `${kind} ${names}`;
}

/** Everything that was allowed. */
class WindowModel {
  readonly taken: { at: number; amount: number }[] = [];
  within(from: number, to: number): number {
    return this.taken
      .filter(({ at }) => at >= from && at < to)
      .reduce((sum, { amount }) => sum + amount, 0);
  }
}

interface CounterStep {
  gapMs: number;
  amount: number;
  node: number;
}

const stepsFor = (windowMs: number) =>
  fc.array(
    fc.record<CounterStep>({
      gapMs: fc.oneof(fc.nat(windowMs / 50), fc.nat(Math.floor(windowMs / 3))),
      amount: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 60 })),
      node: fc.nat(),
    }),
    { maxLength: 60 },
  );

async function playWindow(
  { clock, nodes }: CounterTestSetup,
  window: RateWindow,
  steps: readonly CounterStep[],
): Promise<void> {
  const model = new WindowModel();
  const take = async ({ node, amount }: CounterStep) =>
    (nodes[node % nodes.length] ?? nodes[0]).take(window, amount).then((decision) => {
      if (decision.allowed) model.taken.push({ at: clock.now, amount });
      return decision;
    });
  for (const step of steps) {
    clock.now += step.gapMs;
    const decision = await take(step);
    if (decision.allowed) continue;
    const recent = model.within(clock.now - window.windowMs - computeSlotMs(window), clock.now + 1);
    expect(recent + step.amount, "refused unnecessarily").toBeGreaterThan(window.limit);
    if (step.amount > window.limit) continue;
    expect(decision.retryAfterMs).toBeGreaterThan(0);
    clock.now += decision.retryAfterMs;
    expect(await take(step), "after waiting as long as stated").toMatchObject({ allowed: true });
  }
  for (const { at } of model.taken)
    expect(model.within(at, at + window.windowMs), "in one window").toBeLessThanOrEqual(
      window.limit,
    );
}

export function runCounterSuite(open: () => CounterTestSetup, runs: number): void {
  test("no window ever exceeds its limit, and a client that waits as long as stated is allowed", async () => {
    const world = open();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 100 }),
        fc
          .constantFrom(1_000, 60_000, 180_000)
          .chain((windowMs) => fc.tuple(fc.constant(windowMs), stepsFor(windowMs))),
        (limit, [windowMs, steps]) =>
          playWindow(world, { name: uniqueName("window"), limit, windowMs }, steps),
      ),
      { numRuns: runs },
    );
  });

  test("of many concurrent calls exactly the limit is allowed", async () => {
    const { nodes } = open();
    const window = { name: uniqueName("crowd"), limit: 30, windowMs: 60_000 };
    const turns = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (nodes[index % nodes.length] ?? nodes[0]).take(window),
      ),
    );
    expect(turns.filter(({ allowed }) => allowed)).toHaveLength(30);
  });

  test("whoever is counted is told what all of the nodes have left, and when the window is free", async () => {
    const { clock, nodes } = open();
    const window = { name: uniqueName("left"), limit: 10, windowMs: 60_000 };
    const last = nodes.at(-1) ?? nodes[0];
    expect(await nodes[0].take(window, 3)).toMatchObject({ allowed: true, left: 7 });
    clock.now += 20_000;
    expect(await last.take(window)).toEqual({ allowed: true, left: 6, resetMs: 60_000 });
    clock.now += 40_001;
    expect(await last.take(window, 2)).toEqual({ allowed: true, left: 7, resetMs: 60_000 });
  });

  test("a refunded amount can be used again, and never more than that", async () => {
    const { clock, nodes, settled } = open();
    const [node] = nodes;
    const window = { name: uniqueName("given"), limit: 100, windowMs: 60_000 };
    expect(await node.take(window, 80)).toMatchObject({ allowed: true });
    node.refund(window, 30);
    await settled();
    expect(await node.take(window, 51)).toMatchObject({ allowed: false });
    expect(await node.take(window, 50)).toMatchObject({ allowed: true });
    node.refund(window, 1_000);
    node.refund(window, -99);
    await settled();
    expect(await node.wait(window, 2)).toBeGreaterThan(0);
    expect(await node.take(window, 1)).toMatchObject({ allowed: true });
    // A refund of what has left the window does not reduce what was counted since.
    node.refund(window, 100, 60_000);
    await settled();
    expect(await node.wait(window)).toBeGreaterThan(0);
    clock.now += 63_001;
    expect(await node.wait(window, 100)).toBe(0);
    expect(await node.wait(window, 101)).toBe(60_000);
  });

  test("an amount counted without a check may exceed the limit and has to be waited for", async () => {
    const { clock, nodes, settled } = open();
    const [node] = nodes;
    const window = { name: uniqueName("beyond"), limit: 10, windowMs: 1_000 };
    for (let decision = 0; decision < 50; decision += 1) {
      clock.now += 1;
      node.refund(window, -5);
    }
    await settled();
    const waitMs = await node.wait(window);
    expect(waitMs).toBeGreaterThan(0);
    clock.now += waitMs;
    expect(await node.take(window)).toMatchObject({ allowed: true });
  });

  test("a changed limit applies to what was counted before", async () => {
    const { nodes } = open();
    const [node] = nodes;
    const window = { name: uniqueName("changed"), limit: 100, windowMs: 60_000 };
    expect(await node.take(window, 10)).toMatchObject({ allowed: true });
    expect(await node.wait({ ...window, limit: 10 })).toBeGreaterThan(0);
    expect(await node.wait({ ...window, limit: 11 })).toBe(0);
    expect(await node.take({ ...window, limit: 11 })).toMatchObject({ allowed: true });
    expect(await node.take({ ...window, limit: 11 })).toMatchObject({ allowed: false });
  });

  test("a clock that is set back makes no client wait longer than a window", async () => {
    const { clock, nodes } = open();
    const [node] = nodes;
    const window = { name: uniqueName("back"), limit: 1, windowMs: 60_000 };
    await node.take(window);
    clock.now -= 3_600_000;
    const decision = await node.take(window);
    if (!decision.allowed) expect(decision.retryAfterMs).toBeLessThanOrEqual(60_001);
    clock.now += 3_600_000;
  });

  test("slots are acquired up to the limit, once per member, and free after their release", async () => {
    const { nodes, settled } = open();
    const [first] = nodes;
    const last = nodes.at(-1) ?? first;
    const name = uniqueName("places");
    expect(await first.acquire(name, 2, "a")).toBe(true);
    expect(await last.acquire(name, 2, "b")).toBe(true);
    expect(await first.acquire(name, 2, "c")).toBe(false);
    expect(await last.acquire(name, 2, "c")).toBe(false);
    for (const node of [first, last]) {
      expect(await node.hasFreeSlot(name, 2)).toBe(false);
      expect(await node.hasFreeSlot(name, 3)).toBe(true);
    }
    // A member that holds a slot does not take a second one.
    expect(await first.acquire(name, 2, "a")).toBe(true);
    first.release(name, "a");
    first.release(name, "unknown");
    await settled();
    expect(await last.acquire(name, 2, "c")).toBe(true);
    expect(await first.acquire(name, 2, "d")).toBe(false);
  });
}
