import { expect, test } from "vitest";
import { buildDays, listRecentMonths, readMonth } from "./report-months.ts";

const now = Date.UTC(2026, 0, 31, 23, 59);

test("the list begins with the present UTC month and goes back over years without a gap", () => {
  const months = listRecentMonths(now);
  expect(months.slice(0, 3)).toEqual(["2026-01", "2025-12", "2025-11"]);
  expect(new Set(months).size).toBe(months.length);
  expect(months.at(-1)).toBe("2024-02");
});

test.each([
  ["2025-03", "2025-03"],
  ["2026-02", "2026-01"],
  ["2025-13", "2026-01"],
  ["", "2026-01"],
  ["2019-12", "2026-01"],
])("an address with the month %j shows %s", (text, month) => {
  expect(readMonth(text, now)).toBe(month);
});

test("a month is exported to its last day, also in leap years", () => {
  expect(buildDays("2024-02")).toEqual({ from: "2024-02-01", to: "2024-02-29" });
  expect(buildDays("2026-12")).toEqual({ from: "2026-12-01", to: "2026-12-31" });
});
