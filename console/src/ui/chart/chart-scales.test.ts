import { expect, test } from "vitest";
import { computeNearestIndex, makeValueScale, roundTimes, showLabels } from "./chart-scales.ts";

const plot = { left: 50, top: 10, width: 700, height: 200 };

test("the scale starts at zero and ends at a round number", () => {
  const { y, ticks } = makeValueScale(93, plot);
  expect(y(0)).toBe(210);
  expect(y(100)).toBe(10);
  expect(ticks).toEqual([0, 20, 40, 60, 80, 100]);
});

test("what is counted has no ticks between whole numbers", () => {
  expect(makeValueScale(1, plot, { isCount: true }).ticks).toEqual([0, 1]);
  expect(makeValueScale(3, plot, { isCount: true }).ticks).toEqual([0, 1, 2, 3]);
  expect(makeValueScale(1, plot).ticks).toContain(0.2);
});

test("a chart of zeros still has a scale", () => {
  expect(makeValueScale(0, plot).y(0)).toBe(210);
});

test("only labels that fit are shown, always including the last day", () => {
  expect(showLabels(7, 700, 84)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(showLabels(30, 700, 84)).toEqual([1, 5, 9, 13, 17, 21, 25, 29]);
  expect(showLabels(0, 700, 84)).toEqual([]);
});

test("times of the day are labelled where they are round, however they begin", () => {
  const times = (from: number, count: number, step = 1) =>
    Array.from({ length: count }, (_, index) => {
      const minute = (from + index * step) % 1_440;
      return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
    });
  const shown = (labels: string[], width = 700) =>
    roundTimes(labels, width, 50).map((place) => labels[place]);
  expect(shown(times(55, 31))).toEqual([
    "00:55",
    "01:00",
    "01:05",
    "01:10",
    "01:15",
    "01:20",
    "01:25",
  ]);
  expect(shown(times(1_435, 288, 5))).toEqual(
    ["00", "02", "04", "06", "08", "10", "12", "14", "16", "18", "20", "22"].map(
      (hour) => `${hour}:00`,
    ),
  );
  expect(shown(times(55, 31), 200)).toEqual(["01:00", "01:10", "01:20"]);
  // Too narrow for any, or without a round one.
  expect(shown(times(7, 1))).toEqual(["00:07"]);
  expect(shown(times(7, 20), 49)).toHaveLength(1);
  expect(shown([])).toEqual([]);
});

test("a pointer position maps to its band or its nearest point", () => {
  expect(computeNearestIndex(50, 7, plot, "bands")).toBe(0);
  expect(computeNearestIndex(251, 7, plot, "bands")).toBe(2);
  expect(computeNearestIndex(9_999, 7, plot, "bands")).toBe(6);
  expect(computeNearestIndex(50 + 700 / 12 + 1, 7, plot, "points")).toBe(1);
  expect(computeNearestIndex(400, 1, plot, "points")).toBe(0);
});
