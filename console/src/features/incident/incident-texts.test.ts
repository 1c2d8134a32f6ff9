import { expect, test } from "vitest";
import { formatStatusesText, spanText } from "./incident-texts.ts";

test("a channel's statuses are counted, and what a server left out is a dash", () => {
  const statuses = [
    { status: 503, attempts: 1_200 },
    { status: 0, attempts: 3 },
    { status: Number.NaN, attempts: Number.NaN },
  ];
  expect(formatStatusesText({ statuses })).toBe("503 × 1,200, - × 3, - × -");
  expect(formatStatusesText({ statuses: [] })).toBe("-");
});

test("a time that a server left out is a dash, and the day of a span is said once", () => {
  expect(spanText(null, null)).toBe("-");
  expect(spanText(Number.NaN, null)).toBe("-");
  const [noon, next] = [Date.UTC(2026, 10, 24, 12), Date.UTC(2026, 10, 25, 12)];
  expect(spanText(noon, noon)).not.toContain("–");
  expect(spanText(noon, noon + 60_000)).toMatch(/^\S+ \S+ – [\d:]+$/);
  expect(spanText(noon, next)).toMatch(/^\S+ \S+ – \S+ \S+$/);
});
