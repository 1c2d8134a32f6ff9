import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { heapGrowingPercent, limitHeapGrowth } from "./heap-growth.ts";

test.each([
  [0, 0],
  [999, 0],
  [1_000, 50],
  [4_000, 20],
  [10_000, 10],
  [100_000, 5],
])("beside %d open calls the heap may grow by %d percent", (calls, percent) => {
  expect(heapGrowingPercent(calls)).toBe(percent);
});

test("the number of open calls is read by the clock, until that ends", async () => {
  let reads = 0;
  const stop = limitHeapGrowth(() => {
    reads += 1;
    return 0;
  });
  await expect.poll(() => reads).toBeGreaterThan(0);
  stop();
  const before = reads;
  await wait(400);
  expect(reads).toBe(before);
});
