import { expect, test } from "vitest";
import { buildIncidentBars } from "./incident-bars.ts";

const minute = 60_000;
const hour = 60 * minute;
const start = Date.UTC(2026, 10, 22, 9);
const at = (ms: number, failed: number, rescued = 0) => ({ at: start + ms, failed, rescued });

test("a short incident has a bar for each minute", () => {
  const bars = buildIncidentBars({
    from: start,
    to: start + 4 * minute,
    minutes: [at(0, 2, 1), at(3 * minute, 1)],
  });
  expect(bars).toEqual({
    firstS: start / 1_000,
    stepS: 60,
    failed: [2, 0, 0, 1],
    rescued: [1, 0, 0, 0],
  });
});

test("a day has bars of five minutes, which add up to its minutes", () => {
  const minutes = [at(0, 2), at(4 * minute, 3, 1), at(5 * minute, 7), at(24 * hour - minute, 1)];
  const { stepS, failed, rescued } = buildIncidentBars({
    from: start,
    to: start + 24 * hour,
    minutes,
  });
  expect([stepS, failed.length]).toEqual([300, 288]);
  expect([failed[0], failed[1], failed.at(-1), rescued[0]]).toEqual([5, 7, 1, 1]);
});

test("moments that no honest server sends draw no bars without end", () => {
  const odd = { from: Number.NaN, to: start, minutes: [at(0, 1)] };
  expect(buildIncidentBars(odd).failed).toEqual([]);
  expect(buildIncidentBars({ from: start, to: start - hour, minutes: [at(0, 1)] }).failed).toEqual(
    [],
  );
  expect(
    buildIncidentBars({ from: 0, to: start, minutes: [at(0, 1)] }).failed.length,
  ).toBeLessThanOrEqual(289);
});
