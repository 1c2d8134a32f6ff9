import { expect, test } from "vitest";
import { listCodes, sortPage } from "./redemption-compat.ts";

const rows = [
  { id: 3, status: 1, quota: 5, created_time: 30, redeemed_time: 0 },
  { id: 2, status: 3, quota: 9, created_time: 20, redeemed_time: 7 },
  { id: 1, status: 1, quota: 5, created_time: 10, redeemed_time: 0 },
];
const ids = (sort: string, order: "asc" | "desc") =>
  sortPage(rows, { sort, order }).map(({ id }) => id);

test.each([
  ["id", "asc", [1, 2, 3]],
  ["quota", "desc", [2, 3, 1]],
  ["quota", "asc", [3, 1, 2]],
  ["redeemed_time", "desc", [2, 3, 1]],
  ["name", "asc", [3, 2, 1]],
] as const)(
  "a page requested by %s %s is sorted even when the server does not sort",
  (sort, order, expected) => {
    expect(ids(sort, order)).toEqual(expected);
  },
);

test("a page sorted by the server keeps its order", () => {
  const once = sortPage(rows, { sort: "quota", order: "desc" });
  expect(sortPage(once, { sort: "quota", order: "desc" })).toEqual(once);
});

test.each([
  [
    ["a", "b"],
    ["a", "b"],
  ],
  [["a", 7, "", null], ["a"]],
  [null, []],
  [undefined, []],
  ["abc", []],
])("the codes in %j are %j", (data, codes) => {
  expect(listCodes(data)).toEqual(codes);
});
