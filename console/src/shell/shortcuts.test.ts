import { expect, test } from "vitest";
// As text: its labels are macros, which only the console's build knows.
import tableSource from "./page-table.ts?raw";
import { findKeysOfPage, readShortcut } from "./shortcuts.ts";

const pages = [
  { path: "/dashboard", key: "d" },
  { path: "/tokens", key: "t" },
  { path: "/budgets" },
];

test.each([
  ["?", undefined, { does: "help" }],
  ["/", undefined, { does: "search" }],
  ["f", undefined, { does: "list", key: "f" }],
  ["j", undefined, { does: "list", key: "j" }],
  ["k", undefined, { does: "list", key: "k" }],
  ["g", undefined, { does: "wait" }],
  ["t", "g", { does: "go", path: "/tokens" }],
  ["t", undefined, undefined],
  // A user who may not open the page.
  ["c", "g", undefined],
  ["?", "g", undefined],
  ["constructor", "g", undefined],
] as const)("the key %j after %j", (key, before, act) =>
  expect(readShortcut(key, before, pages)).toEqual(act),
);

test("each page of the header has keys of its own", () => {
  const rows = [...tableSource.matchAll(/\{ path: "([^"]+)"[^}]*\}/g)].map(([row, path = ""]) => {
    const key = /key: "(.)"/.exec(row)?.[1];
    return { path, isTop: !row.includes("parent:"), ...(key !== undefined && { key }) };
  });
  const top = rows.filter(({ isTop }) => isTop);
  expect(top.map(({ path }) => path)).toContain("/dashboard");
  const keys = rows
    .map((row) => findKeysOfPage(row)?.join(" "))
    .filter((both) => both !== undefined);
  expect(top.map(findKeysOfPage)).not.toContain(undefined);
  expect(new Set(keys).size).toBe(keys.length);
});
