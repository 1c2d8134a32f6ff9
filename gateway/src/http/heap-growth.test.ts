import { afterEach, expect, test, vi } from "vitest";
import { heapGrowingPercent, limitHeapGrowth } from "./heap-growth.ts";

afterEach(() => {
  vi.useRealTimers();
});

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

test("the number of open calls is read four times a second, until that ends", () => {
  vi.useFakeTimers();
  const openCalls = vi.fn(() => 0);
  const stop = limitHeapGrowth(openCalls);
  vi.advanceTimersByTime(1_000);
  expect(openCalls).toHaveBeenCalledTimes(4);
  stop();
  vi.advanceTimersByTime(1_000);
  expect(openCalls).toHaveBeenCalledTimes(4);
});
