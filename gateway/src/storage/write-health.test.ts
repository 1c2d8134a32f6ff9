import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StaleWrite, StorageUnavailable } from "./database.ts";
import { probeEveryMs, unwritableAfterMs, watchWrites } from "./write-health.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("writes that fail for five seconds make it unwritable, and one that works ends that", async () => {
  let works = false;
  let probes = 0;
  const health = watchWrites(async () => {
    probes += 1;
    if (!works) throw new StorageUnavailable("full");
  });
  expect(health.isWritable()).toBe(true);
  health.noteEnd(new StorageUnavailable("full"));
  await vi.advanceTimersByTimeAsync(unwritableAfterMs - 1);
  expect(health.isWritable()).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  expect(health.isWritable()).toBe(false);
  expect(probes).toBe(2);
  works = true;
  await vi.advanceTimersByTimeAsync(probeEveryMs);
  expect(health.isWritable()).toBe(true);
  await vi.advanceTimersByTimeAsync(10 * probeEveryMs);
  expect(probes).toBe(3);
});

test("a call's own write that works makes it writable at once", async () => {
  const health = watchWrites(() => Promise.reject(new StorageUnavailable("locked")));
  health.noteEnd(new StorageUnavailable("locked"));
  await vi.advanceTimersByTimeAsync(unwritableAfterMs);
  expect(health.isWritable()).toBe(false);
  health.noteEnd();
  expect(health.isWritable()).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test("a lost race for a row is no failure", async () => {
  const health = watchWrites(() => Promise.reject(new Error("never asked")));
  health.noteEnd(new StaleWrite(0, undefined));
  await vi.advanceTimersByTimeAsync(10 * unwritableAfterMs);
  expect(health.isWritable()).toBe(true);
});
