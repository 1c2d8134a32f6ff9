import { expect, test } from "vitest";
import { nearestIndex, shownLabels, valueScale } from "./chart-scales.ts";

const plot = { left: 50, top: 10, width: 700, height: 200 };

test("the scale starts at zero and ends at a round number", () => {
  const { y, ticks } = valueScale(93, plot);
  expect(y(0)).toBe(210);
  expect(y(100)).toBe(10);
  expect(ticks).toEqual([0, 20, 40, 60, 80, 100]);
});

test("what is counted has no ticks between whole numbers", () => {
  expect(valueScale(1, plot, { isCount: true }).ticks).toEqual([0, 1]);
  expect(valueScale(3, plot, { isCount: true }).ticks).toEqual([0, 1, 2, 3]);
  expect(valueScale(1, plot).ticks).toContain(0.2);
});

test("a chart of zeros still has a scale", () => {
  expect(valueScale(0, plot).y(0)).toBe(210);
});

test("only labels that fit are shown, always including the last day", () => {
  expect(shownLabels(7, 700, 84)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(shownLabels(30, 700, 84)).toEqual([1, 5, 9, 13, 17, 21, 25, 29]);
  expect(shownLabels(0, 700, 84)).toEqual([]);
});

test("a pointer position maps to its band or its nearest point", () => {
  expect(nearestIndex(50, 7, plot, "bands")).toBe(0);
  expect(nearestIndex(251, 7, plot, "bands")).toBe(2);
  expect(nearestIndex(9_999, 7, plot, "bands")).toBe(6);
  expect(nearestIndex(50 + 700 / 12 + 1, 7, plot, "points")).toBe(1);
  expect(nearestIndex(400, 1, plot, "points")).toBe(0);
});
