import { runCounterSuite } from "@tollgate/tests/support/counter-suite.ts";
import { expect, test } from "vitest";
import { createMemoryCounters, namesMax } from "./counters.ts";

runCounterSuite(() => {
  const clock = { now: 1_700_000_000_000 };
  return { clock, nodes: [createMemoryCounters(() => clock.now)], settled: async () => undefined };
}, 300);

test("names of one kind evict only the least recently used one of their own kind", async () => {
  const counters = createMemoryCounters(() => 1_700_000_000_000);
  const window = { limit: 1, windowMs: 60_000 };
  await counters.take({ ...window, name: "sign-in user" });
  for (let n = 0; n <= namesMax; n += 1) await counters.take({ ...window, name: `address ${n}` });
  expect(await counters.wait({ ...window, name: "sign-in user" })).toBeGreaterThan(0);
  expect(await counters.wait({ ...window, name: `address ${namesMax}` })).toBeGreaterThan(0);
  expect(await counters.wait({ ...window, name: "address 0" })).toBe(0);
});
