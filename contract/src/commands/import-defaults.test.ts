import { expect, test } from "vitest";
import { isCalendarDay } from "./import-defaults.ts";

test("a day is one of the calendar, in full", () => {
  expect(["2026-08-01", "2024-02-29", "1970-01-01"].filter((text) => !isCalendarDay(text))).toEqual(
    [],
  );
  const others = [
    "",
    "2026",
    "2026-08",
    "2026-8-1",
    "2026-02-30",
    "2026-13-01",
    "2026-08-01T00",
    " 2026-08-01",
    "x",
  ];
  expect(others.filter(isCalendarDay)).toEqual([]);
});
