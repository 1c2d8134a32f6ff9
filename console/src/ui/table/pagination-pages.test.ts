import { expect, test } from "vitest";
import { pageEntries, showRange } from "./pagination-pages.ts";

const shown = (current: number, pages: number, inFull: 3 | 5 | 7) =>
  pageEntries(current, pages, inFull)
    .map((entry) => (entry === "gap" ? "…" : entry))
    .join(" ");

test.each([
  [1, 0, ""],
  [1, 1, "1"],
  [4, 7, "1 2 3 4 5 6 7"],
  [1, 8, "1 2 3 4 5 … 8"],
  [4, 8, "1 2 3 4 5 … 8"],
  [5, 8, "1 … 4 5 6 7 8"],
  [8, 8, "1 … 4 5 6 7 8"],
  [4, 10, "1 2 3 4 5 … 10"],
  [5, 10, "1 … 4 5 6 … 10"],
  [6, 10, "1 … 5 6 7 … 10"],
  [7, 10, "1 … 6 7 8 9 10"],
  [500, 1000, "1 … 499 500 501 … 1000"],
])("desktop lists up to 7 pages in full: page %i of %i", (current, pages, expected) => {
  expect(shown(current, pages, 7)).toBe(expected);
});

test.each([
  [3, 5, "1 2 3 4 5"],
  [1, 6, "1 2 3 … 6"],
  [3, 6, "1 2 3 … 6"],
  [4, 6, "1 … 4 5 6"],
  [4, 10, "1 … 4 … 10"],
  [7, 10, "1 … 7 … 10"],
  [8, 10, "1 … 8 9 10"],
])("a tablet lists up to 5 pages in full: page %i of %i", (current, pages, expected) => {
  expect(shown(current, pages, 5)).toBe(expected);
});

test.each([
  [2, 3, "1 2 3"],
  [1, 4, "1 2 … 4"],
  [2, 4, "1 2 … 4"],
  [3, 4, "1 … 3 4"],
  [4, 4, "1 … 3 4"],
  [3, 5, "1 … 3 … 5"],
  [50, 99, "1 … 50 … 99"],
])("mobile lists up to 3 pages in full: page %i of %i", (current, pages, expected) => {
  expect(shown(current, pages, 3)).toBe(expected);
});

test("the range counts from 1, ends at the total and is 0-0 for nothing", () => {
  expect(showRange(0, 10, 37)).toEqual({ from: 1, to: 10 });
  expect(showRange(3, 10, 37)).toEqual({ from: 31, to: 37 });
  expect(showRange(0, 10, 0)).toEqual({ from: 0, to: 0 });
});
