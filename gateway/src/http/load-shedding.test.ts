import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, test } from "vitest";
import {
  computeDescriptorsMax,
  computeHeapShare,
  computeSmoothedLag,
  createLoadShedding,
  findShortage,
  type ProcessLoad,
  type Shortage,
} from "./load-shedding.ts";

const calm: ProcessLoad = { descriptors: 100, descriptorsMax: 1_000, memoryShare: 0.3, lagMs: 2 };

test.each<[string, Partial<ProcessLoad>, Shortage | undefined, Shortage | undefined]>([
  ["nothing", {}, undefined, undefined],
  ["descriptors just below the bound", { descriptors: 799 }, undefined, undefined],
  ["descriptors at the bound", { descriptors: 800 }, undefined, "descriptors"],
  ["fewer descriptors than began it", { descriptors: 760 }, "descriptors", "descriptors"],
  ["fewer descriptors still", { descriptors: 749 }, "descriptors", undefined],
  [
    "a system that names no limit",
    { descriptors: 1e6, descriptorsMax: Number.POSITIVE_INFINITY },
    undefined,
    undefined,
  ],
  ["a full heap", { memoryShare: 0.86 }, undefined, "memory"],
  ["a heap that was full", { memoryShare: 0.8 }, "memory", "memory"],
  ["a heap that has recovered", { memoryShare: 0.74 }, "memory", undefined],
  ["a loop that is late", { lagMs: 1_000 }, undefined, "time"],
  ["a loop that catches up", { lagMs: 499 }, "time", undefined],
  ["one after the other", { lagMs: 600, memoryShare: 0.9 }, "time", "memory"],
])("%s", (_what, load, before, expected) => {
  expect(findShortage({ ...calm, ...load }, before)).toBe(expected);
});

test("a single pause of any length is no lag, a loop that stays late is", {
  tags: ["FT-20"],
}, () => {
  expect(computeSmoothedLag(0, 60_000)).toBeLessThan(1_000);
  let lag = 0;
  for (let n = 0; n < 4; n += 1) lag = computeSmoothedLag(lag, 3_000);
  expect(lag).toBeGreaterThan(1_000);
  for (let n = 0; n < 6; n += 1) lag = computeSmoothedLag(lag, 0);
  expect(lag).toBeLessThan(500);
});

test("only old objects of the heap count, against the part of the limit that they may use", () => {
  const mb = 1024 * 1024;
  const spaces = [
    { space_name: "new_space", space_used_size: 30 * mb },
    { space_name: "old_space", space_used_size: 60 * mb },
    { space_name: "large_object_space", space_used_size: 20 * mb },
  ];
  expect(computeHeapShare(spaces, 196 * mb)).toBeCloseTo(0.8);
  expect(computeHeapShare(spaces, 4_192 * mb)).toBeCloseTo(80 / 4_096);
  // A limit below the share of young objects still leaves a part for old ones.
  expect(computeHeapShare(spaces, 80 * mb)).toBeCloseTo(4);
});

test.each([
  [
    "Max processes             unlimited            unlimited            processes\nMax open files            512                  1048576              files\n",
    512,
  ],
  [
    "Max open files            unlimited            unlimited            files\n",
    Number.POSITIVE_INFINITY,
  ],
  ["", Number.POSITIVE_INFINITY],
])("the limit of descriptors in %j", (text, expected) => {
  expect(computeDescriptorsMax(text)).toBe(expected);
});

describe("what is counted at each call", () => {
  test("counts the descriptors of both sides without waiting for the next check", () => {
    const shedding = createLoadShedding(10_000);
    expect(shedding.isShort()).toBe(false);
    let callers = 0;
    let idle = 0;
    const limits: number[] = [];
    const changes: (Shortage | undefined)[] = [];
    const stop = shedding.watch({
      clientConnections: () => callers,
      activeCalls: () => callers,
      upstreamConnections: () => idle,
      closeIdle: () => undefined,
      limitClientConnections: (max) => limits.push(max),
      onChange: (shortage) => changes.push(shortage),
    });
    expect(shedding.isShort()).toBe(false);
    callers = 4_000;
    expect(shedding.isShort()).toBe(true);
    callers = 10;
    expect(shedding.isShort()).toBe(false);
    // Idle connections count only when hardly any descriptors are left.
    idle = 8_500;
    expect(shedding.isShort()).toBe(false);
    idle = 9_500;
    expect(shedding.isShort()).toBe(true);
    stop();
    expect(changes).toEqual([]);
    expect(limits[0]).toBeLessThanOrEqual(9_500);
    expect(limits[0]).toBeGreaterThan(9_000);
  });

  test("costs next to nothing", () => {
    const shedding = createLoadShedding(10_000);
    const stop = shedding.watch({
      clientConnections: () => 5,
      activeCalls: () => 5,
      upstreamConnections: () => 5,
      closeIdle: () => undefined,
      limitClientConnections: () => undefined,
      onChange: () => undefined,
    });
    const began = performance.now();
    let shorts = 0;
    for (let n = 0; n < 100_000; n += 1) shorts += shedding.isShort() ? 1 : 0;
    expect(shorts).toBe(0);
    // A tenth of a millisecond would already be a thousand times too much.
    expect((performance.now() - began) / 100_000).toBeLessThan(0.1);
    stop();
  });
});

test("the loop delay that node measures includes its own resolution", async () => {
  const delay = monitorEventLoopDelay({ resolution: 50 });
  delay.enable();
  await new Promise((resolve) => setTimeout(resolve, 400));
  delay.disable();
  expect(delay.mean / 1e6).toBeGreaterThan(45);
});
