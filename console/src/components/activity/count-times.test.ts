import { expect, test } from "vitest";
import { countTimes } from "./count-times.ts";

const now = Date.UTC(2026, 10, 1, 0, 20);

test("the days of counts are UTC and end with the present one", () => {
  expect(countTimes(3, "days", now)).toEqual(["2026-10-30", "2026-10-31", "2026-11-01"]);
});

test("the hours of counts are whole ones of the browser's zone and end with the present one", () => {
  const local = (ms: number) =>
    `${String(new Date(ms).getHours()).padStart(2, "0")}:${String(new Date(ms).getMinutes()).padStart(2, "0")}`;
  expect(countTimes(2, "hours", now)).toEqual([
    local(Date.UTC(2026, 9, 31, 23)),
    local(Date.UTC(2026, 10, 1)),
  ]);
});
