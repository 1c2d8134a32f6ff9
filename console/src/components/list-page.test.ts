import { expect, test } from "vitest";
import { toListPage } from "./list-page.ts";

const rows = [1, 2, 3, 4, 5];

test("a page of a counted list is what the server sent", () => {
  expect(toListPage({ data: rows, total: 12 }, { p: 1, size: 5 })).toEqual({ items: rows, total: 12, capped: false });
  expect(toListPage({ data: rows, total: 10_000, total_capped: true }, { p: 0, size: 5 })).toMatchObject({
    capped: true,
  });
});

test("a list without a total came whole and is cut here", () => {
  expect(toListPage({ data: rows }, { p: 1, size: 2 })).toEqual({ items: [3, 4], total: 5 });
  expect(toListPage({ data: rows }, { p: 3, size: 2 })).toEqual({ items: [], total: 5 });
});
