import { expect, test } from "vitest";
import { buildFinishedDays, computePace, listWeek } from "./insight-rules.ts";

const hour = 3_600_000;
/** A Friday. */
const now = Date.UTC(2026, 10, 20, 12, 30);
const today = Math.floor(now / (24 * hour));

test("an account's pace is the mean of its finished days, at most seven and at least three", () => {
  const pace = (createdAt: number, quota: number) =>
    computePace(quota, buildFinishedDays(createdAt, now).days);
  expect(buildFinishedDays(0, now)).toEqual({ first: today - 7, last: today - 1, days: 7 });
  expect(pace(0, 700)).toEqual({ quota_per_day: 100, days: 7 });
  expect(pace(Date.UTC(2026, 10, 17, 23), 30)).toEqual({ quota_per_day: 10, days: 3 });
  expect(pace(Date.UTC(2026, 10, 18, 1), 30)).toBeNull();
  expect(pace(now, 0)).toBeNull();
});

test("hours are added up by weekday, from Monday, and hour", () => {
  const at = (day: number, hours: number) => Date.UTC(2026, 10, day, hours) / hour;
  const week = listWeek([
    { hour: at(16, 0), requests: 1, failures: 0 },
    { hour: at(15, 23), requests: 2, failures: 1 },
    { hour: at(8, 23), requests: 3, failures: 0 },
  ]);
  expect(week.map((hours) => hours.length)).toEqual([24, 24, 24, 24, 24, 24, 24]);
  expect(week[0]?.[0]).toEqual({ requests: 1, failures: 0 });
  expect(week[6]?.[23]).toEqual({ requests: 5, failures: 1 });
  expect(week.flat().reduce((sum, { requests }) => sum + requests, 0)).toBe(6);
});
