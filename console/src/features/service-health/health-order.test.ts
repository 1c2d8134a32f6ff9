import { expect, test } from "vitest";
import { countQuietDays, sortByTrouble } from "./health-order.ts";

const day = (success_rate: number | null) => ({ success_rate, latency_ms: null });
const strip = (quiet: number, busy: number) => ({
  days: [
    ...Array.from({ length: quiet }, () => day(null)),
    ...Array.from({ length: busy }, () => day(99)),
  ],
});

test("models in trouble come first", () => {
  const models = (["ok", "quiet", "degraded", "down", "ok"] as const).map((state, place) => ({
    state,
    place,
  }));
  expect(sortByTrouble(models).map(({ place }) => place)).toEqual([3, 2, 0, 4, 1]);
});

test("days before the first call of any model are left out, and two weeks are always there", () => {
  expect(countQuietDays([strip(60, 30), strip(50, 40)])).toBe(50);
  expect(countQuietDays([strip(88, 2)])).toBe(76);
  expect(countQuietDays([strip(0, 90)])).toBe(0);
  expect(countQuietDays([strip(90, 0)])).toBe(76);
  expect(countQuietDays([])).toBe(0);
});
