import { expect, test } from "vitest";
import { listCsvTable } from "./csv-table.ts";

test("cells keep commas, quotes and lines within quotes, and an empty cell is a cell", () => {
  expect(listCsvTable('a,b,c\r\n"x, ""y""\nz",,1\r\n')).toEqual([
    ["a", "b", "c"],
    ['x, "y"\nz', "", "1"],
  ]);
  expect(listCsvTable("a,b\n,")).toEqual([
    ["a", "b"],
    ["", ""],
  ]);
  expect(listCsvTable("")).toEqual([]);
});
