import { describe, expect, test } from "vitest";
import {
  buildDaysOfRange,
  buildLastDays,
  computeDayCount,
  dayRanges,
  findPreviousPeriod,
  listDays,
  rangeProblem,
  readEarliestDay,
} from "./date-range.ts";

const today = "2026-11-21";

test("the default is the last seven days, today included", () => {
  expect(buildLastDays(7, today)).toEqual({ from: "2026-11-15", to: "2026-11-21" });
  expect(buildLastDays(1, today)).toEqual({ from: today, to: today });
  expect(computeDayCount(buildLastDays(30, today))).toBe(30);
});

describe("rules for all users", () => {
  test.each([
    ["2026-11-20", "2026-11-19", "order"],
    ["2026-11-20", "2026-11-22", "future"],
    ["", "2026-11-21", "incomplete"],
    ["2026-11-15", "2026-11-21", undefined],
  ])("from %s to %s: %s", (from, to, problem) => {
    expect(rangeProblem({ from, to }, today, false)).toBe(problem);
    expect(rangeProblem({ from, to }, today, true)).toBe(problem);
  });
});

test.each([
  ["2026-11-14", "2026-11-20", undefined],
  ["2026-11-14", "2026-11-21", "too-long-week"],
  ["2026-11-13", "2026-11-15", "too-old-week"],
])("a user may read 7 days back and a range of 7 days: %s to %s", (from, to, problem) => {
  expect(rangeProblem({ from, to }, today, false)).toBe(problem);
});

test.each([
  ["2025-11-21", "2026-11-20", undefined],
  ["2025-11-21", "2026-11-21", "too-long-year"],
  ["2025-11-20", "2026-01-01", "too-old-year"],
])(
  "an administrator may read a year back and a range of 365 days: %s to %s",
  (from, to, problem) => {
    expect(rangeProblem({ from, to }, today, true)).toBe(problem);
  },
);

test("leap days: the year before 29 February is 1 March", () => {
  expect(readEarliestDay("2028-02-29", true)).toBe("2027-03-01");
  expect(listDays({ from: "2028-02-28", to: "2028-03-01" })).toEqual([
    "2028-02-28",
    "2028-02-29",
    "2028-03-01",
  ]);
});

test("the previous period has the same length, and is undefined when the user may not read it", () => {
  expect(findPreviousPeriod({ from: "2026-11-15", to: "2026-11-21" }, today, true)).toEqual({
    from: "2026-11-08",
    to: "2026-11-14",
  });
  expect(
    findPreviousPeriod({ from: "2026-11-15", to: "2026-11-21" }, today, false),
  ).toBeUndefined();
  expect(findPreviousPeriod({ from: today, to: today }, today, false)).toEqual({
    from: "2026-11-20",
    to: "2026-11-20",
  });
});

test("the usual ranges end today, but for the last month, and none is longer than an administrator may see", () => {
  const today = "2026-03-31";
  expect(buildDaysOfRange("month", today)).toEqual({ from: "2026-03-01", to: today });
  expect(buildDaysOfRange("last-month", today)).toEqual({ from: "2026-02-01", to: "2026-02-28" });
  expect(buildDaysOfRange("30d", today)).toEqual(buildLastDays(30, today));
  expect(
    dayRanges.filter(
      (range) => rangeProblem(buildDaysOfRange(range, today), today, true) !== undefined,
    ),
  ).toEqual([]);
});
