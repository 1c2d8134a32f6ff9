import type { VirtualModelTier } from "@tollgate/contract/catalogue/virtual-models.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createModelPace } from "./model-pace.ts";
import { orderTargets, readReasonWithTarget, type TargetMeasures } from "./target-order.ts";

const draws = 100_000;
const nothingKnown: TargetMeasures = {
  firstContentMs: () => undefined,
  runningCalls: () => 0,
  estimatedCost: () => undefined,
};
const weights = (...targets: [string, number][]): VirtualModelTier => ({
  strategy: "weights",
  targets: targets.map(([model, weight]) => ({ model, weight })),
});

/** Repeatable chance (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const firstOf = (
  tiers: VirtualModelTier[],
  measures: TargetMeasures,
  random: () => number,
  stickyId?: string,
) => orderTargets(tiers, measures, { random, stickyId })[0]?.model ?? "";

function counted(names: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Within three standard deviations of a binomial distribution. */
function expectShare(count: number, share: number): void {
  expect(Math.abs(count - draws * share)).toBeLessThanOrEqual(
    3 * Math.sqrt(draws * share * (1 - share)),
  );
}

describe("the targets of a virtual model", () => {
  test("are drawn by their weights, over 100,000 draws", () => {
    const tier = weights(["a", 70], ["b", 25], ["c", 5], ["d", 0]);
    const random = seeded(7);
    const first = counted(
      Array.from({ length: draws }, () => firstOf([tier], nothingKnown, random)),
    );
    expectShare(first.get("a") ?? 0, 0.7);
    expectShare(first.get("b") ?? 0, 0.25);
    expectShare(first.get("c") ?? 0, 0.05);
    expect(first.get("d")).toBeUndefined();
  });

  test("share 100,000 sticky ids by their weights, and each id stays with its target whatever the chance", () => {
    const tier = weights(["a", 80], ["b", 20]);
    const firstOfId = (id: number) => firstOf([tier], nothingKnown, () => 0.5, `user ${id}`);
    const first = counted(Array.from({ length: draws }, (_, id) => firstOfId(id)));
    expectShare(first.get("a") ?? 0, 0.8);
    const stays = (id: number, chance: number) =>
      firstOf([tier], nothingKnown, () => chance, `user ${id}`) === firstOfId(id);
    fc.assert(fc.property(fc.nat(), fc.double({ min: 0, max: 0.999, noNaN: true }), stays));
  });

  test("keep every sticky id of a canary while its share grows from 1 to 100 %", () => {
    const shares = [1, 5, 20, 50, 90, 100];
    const inCanary = (share: number) =>
      new Set(
        Array.from({ length: 5_000 }, (_, id) => id).filter(
          (id) =>
            firstOf(
              [weights(["old", 100 - share], ["new", share])],
              nothingKnown,
              () => 0,
              `key ${id}`,
            ) === "new",
        ),
      );
    let before = new Set<number>();
    for (const share of shares) {
      const now = inCanary(share);
      expect(before.isSubsetOf(now)).toBe(true);
      before = now;
    }
    expect(before.size).toBe(5_000);
  });

  test("come tier by tier, each model once, whatever the strategies, weights and measurements", () => {
    const model = fc.nat(99);
    const tier = fc.record({
      strategy: fc.constantFrom(
        "weights" as const,
        "cheapest" as const,
        "fastest" as const,
        "least_busy" as const,
      ),
      targets: fc.uniqueArray(fc.tuple(model, fc.constantFrom(0, 1, 3, 1_000_000)), {
        minLength: 1,
        maxLength: 10,
        selector: ([name]) => name,
      }),
    });
    const value = fc.option(fc.nat(9), { nil: undefined });
    const world = fc.record({
      tiers: fc.array(tier, { minLength: 1, maxLength: 3 }),
      seed: fc.nat(),
      values: fc.array(value, { minLength: 100, maxLength: 100 }),
      stickyId: fc.option(fc.string(), { nil: undefined }),
    });
    fc.assert(
      fc.property(world, ({ tiers, seed, values, stickyId }) => {
        const named = tiers.map(({ strategy, targets }, index) => ({
          strategy,
          targets: targets.map(([name, weight]) => ({ model: `${index}.${name}`, weight })),
        }));
        const of = (name: string) => values[Number(name.split(".")[1])];
        const measures = {
          firstContentMs: of,
          estimatedCost: of,
          runningCalls: (name: string) => of(name) ?? 0,
        };
        const ordered = orderTargets(named, measures, { random: seeded(seed), stickyId });
        expect(ordered.map(({ tier }) => tier)).toEqual(
          named.flatMap(({ targets }, index) => targets.map(() => index + 1)),
        );
        expect(ordered.map(({ model }) => model).toSorted()).toEqual(
          named.flatMap(({ targets }) => targets.map(({ model }) => model)).toSorted(),
        );
      }),
    );
  });

  test("go by the estimate of the call, those without a price last", () => {
    const costs: Record<string, number> = { dear: 90, cheap: 3 };
    const tier = {
      ...weights(["dear", 9], ["none", 9], ["cheap", 1]),
      strategy: "cheapest" as const,
    };
    const measures = { ...nothingKnown, estimatedCost: (model: string) => costs[model] };
    const ordered = orderTargets([tier], measures, { random: seeded(1), stickyId: "x" });
    expect(ordered.map(({ model }) => model)).toEqual(["cheap", "dear", "none"]);
    expect(ordered.map((target) => readReasonWithTarget(target, "priority 0"))).toEqual([
      "cheap: tier 1, estimated at 3 units; priority 0",
      "dear: tier 1, estimated at 90 units; priority 0",
      "none: tier 1, no price to compare; priority 0",
    ]);
  });

  test("go to the fastest model, and a tenth of the calls by weight measures the others again", () => {
    const ms: Record<string, number> = { slow: 900, fast: 200 };
    const tier = { ...weights(["slow", 1], ["fast", 1]), strategy: "fastest" as const };
    const measures = { ...nothingKnown, firstContentMs: (model: string) => ms[model] };
    const random = seeded(3);
    const first = counted(Array.from({ length: draws }, () => firstOf([tier], measures, random)));
    expectShare(first.get("slow") ?? 0, 0.05);
  });

  test("go where the fewest calls run for the weight, and a weight of 0 only helps out", () => {
    const running: Record<string, number> = { large: 8, small: 3, spare: 0 };
    const tier = {
      ...weights(["large", 4], ["small", 1], ["spare", 0]),
      strategy: "least_busy" as const,
    };
    const measures = { ...nothingKnown, runningCalls: (model: string) => running[model] ?? 0 };
    const models = orderTargets([tier], measures, { random: seeded(5), stickyId: undefined });
    expect(models.map(({ model }) => model)).toEqual(["large", "small", "spare"]);
  });
});

describe("the pace of models", () => {
  test("is smoothed, forgotten after ten minutes, and counts each running attempt once", () => {
    let now = 1_000;
    const pace = createModelPace(() => now);
    expect(pace.firstContentMs("m")).toBeUndefined();
    const [one, other] = [pace.begin("m"), pace.begin("m")];
    one.measured(2_000);
    other.measured(1_500);
    expect(pace.firstContentMs("m")).toBe(900);
    now += 600_000;
    expect(pace.firstContentMs("m")).toBeUndefined();
    expect(pace.runningCalls("m")).toBe(2);
    one.end();
    one.end();
    expect(pace.runningCalls("m")).toBe(1);
    other.end();
    expect(pace.runningCalls("m")).toBe(0);
  });
});
