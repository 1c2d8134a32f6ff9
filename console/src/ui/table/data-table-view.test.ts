import { expect, test } from "vitest";
import { defaultView, readView, toggleSort, writeView } from "./data-table-view.ts";

const defaults = { ...defaultView, size: 10 };

test("a URL without parameters is the default view", () => {
  expect(readView({}, defaults)).toEqual({ p: 0, size: 10, sort: "id", order: "desc" });
});

test("a table that says nothing else has 20 rows, the newest first", () => {
  expect(readView({}, defaultView)).toEqual({ p: 0, size: 20, sort: "id", order: "desc" });
});

test("invalid parameters fall back to the defaults", () => {
  expect(readView({ p: "-1", size: "37", sort: "", order: "up" }, defaults)).toEqual(defaults);
  expect(readView({ p: "1.5" }, defaults).p).toBe(0);
  expect(readView({ p: "" }, defaults).p).toBe(0);
});

test("a view survives writing to and reading from the URL", () => {
  const view = { p: 3, size: 50, sort: "name", order: "asc" } as const;
  expect(writeView({}, view, defaults)).toEqual({ p: "3", size: "50", sort: "name", order: "asc" });
  expect(readView(writeView({}, view, defaults), defaults)).toEqual(view);
});

test("default values are removed from the URL and unknown keys stay", () => {
  expect(writeView({ p: "3", keyword: "ci", theme: "x" }, defaults, defaults)).toEqual({
    keyword: "ci",
    theme: "x",
  });
});

test("a click on a column sorts it descending, on the sorted one reverses it, and both return to the first page", () => {
  const byName = toggleSort({ ...defaults, p: 3 }, "name");
  expect(byName).toEqual({ p: 0, size: 10, sort: "name", order: "desc" });
  expect(toggleSort(byName, "name").order).toBe("asc");
  expect(toggleSort(toggleSort(byName, "name"), "name").order).toBe("desc");
  expect(toggleSort({ ...defaults, order: "asc" }, "name").order).toBe("desc");
});
