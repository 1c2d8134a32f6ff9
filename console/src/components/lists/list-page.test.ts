import { expect, test } from "vitest";
import { buildListPage } from "./list-page.ts";

const rows = [1, 2, 3, 4, 5];

test("a reply with a total is the page as sent", () => {
  expect(buildListPage({ data: rows, total: 12 }, { p: 1, size: 5 })).toEqual({
    items: rows,
    total: 12,
    capped: false,
  });
  expect(
    buildListPage({ data: rows, total: 10_000, total_capped: true }, { p: 0, size: 5 }),
  ).toMatchObject({
    capped: true,
  });
});

test("a reply without a total is the whole list and is cut to the page", () => {
  expect(buildListPage({ data: rows }, { p: 1, size: 2 })).toEqual({ items: [3, 4], total: 5 });
  expect(buildListPage({ data: rows }, { p: 3, size: 2 })).toEqual({ items: [], total: 5 });
});

test("a reply without a total that fits the page is that page", () => {
  expect(buildListPage({ data: rows }, { p: 0, size: 5 })).toEqual({ items: rows, total: 5 });
  expect(buildListPage({ data: rows }, { p: 2, size: 10 })).toEqual({ items: rows, total: 25 });
});
