import { setImmediate as turn } from "node:timers/promises";
import { collectGarbage } from "@tollgate/tests/harness/collect-garbage.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { collectStartGarbage } from "./start-garbage.ts";

const afterMs = 10_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  vi.stubGlobal("gc", collectGarbage);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/**
 * `leaves` says whether garbage is still there after this time, with this bound of an idle heap.
 */
async function leaves(ms: number, idleBytesMax: number): Promise<boolean> {
  const left = (() => new WeakRef({ text: "of the start" }))();
  collectStartGarbage({ afterMs, idleBytesMax });
  // A WeakRef holds its target until the end of the turn that made it.
  await turn();
  vi.advanceTimersByTime(ms);
  return left.deref() !== undefined;
}

test("garbage of the start is collected without any call, after a while", async () => {
  expect(await leaves(afterMs - 1, Number.POSITIVE_INFINITY)).toBe(true);
  expect(await leaves(afterMs, Number.POSITIVE_INFINITY)).toBe(false);
});

test("a heap that calls use already is left alone", async () => {
  expect(await leaves(afterMs, 0)).toBe(true);
});
