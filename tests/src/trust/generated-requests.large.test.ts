// The short form of `npm run trust -- fuzz`.

import { runFuzz } from "@tollgate/trust/runs/fuzz-run.ts";
import { expect, test } from "vitest";

const cases = 1_000;

test("generated requests of all kinds, by every kind of user: no crash, no hang, no unexplained 5xx, responses match the contract", async () => {
  const { problems, called, succeeded, statuses } = await runFuzz({ cases, seed: 20_261_121 });
  expect(problems).toEqual([]);
  // Generated requests that are all refused would prove nothing.
  expect(called.size).toBeGreaterThan(80);
  expect(succeeded.size).toBeGreaterThan(30);
  expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(cases);
}, 240_000);
