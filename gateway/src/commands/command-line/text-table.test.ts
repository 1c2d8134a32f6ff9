import { expect, test } from "vitest";
import { formatTextTable } from "./text-table.ts";

test("columns line up, and a column without a value in any row is left out", () => {
  const rows = [
    { id: "1", name: "west", tag: "" },
    { id: "12", name: "a", tag: "x" },
  ];
  expect(formatTextTable(rows, ["id", "absent", "name", "tag"])).toEqual([
    "ID  NAME  TAG",
    "1   west  -",
    "12  a     x",
  ]);
});

test("a name of others stays on its line, cannot command the terminal, and is cut where it is long", () => {
  const [, row = ""] = formatTextTable(
    [{ name: `a\n\u001b[31m\u202e${"x".repeat(100)}` }],
    ["name"],
  );
  expect(row).toMatch(/^a\\u\{a\}\\u\{1b\}\[31m/);
  expect(row).toHaveLength(40);
  expect(row.endsWith("…")).toBe(true);
});
