import fc from "fast-check";
import { expect, test } from "vitest";
import {
  findCurrentView,
  isColumnShown,
  keepView,
  keptViewsMax,
  noChoice,
  parseChoice,
  searchOfView,
  toggleColumn,
} from "./table-choice.ts";

const name = { id: "name", pinned: true };
const email = { id: "email" };
const retries = { id: "retries", optional: true };

test("without a choice, all columns are shown but the optional ones", () => {
  expect([name, email, retries].map((column) => isColumnShown(column, {}))).toEqual([
    true,
    true,
    false,
  ]);
});

test("a column is switched off and on, and a choice that equals the default is not stored", () => {
  const off = toggleColumn(email, {});
  expect(off).toEqual({ email: false });
  expect(isColumnShown(email, off)).toBe(false);
  expect(toggleColumn(email, off)).toEqual({});
  expect(toggleColumn(retries, {})).toEqual({ retries: true });
});

test("the column that names the row stays", () => {
  expect(isColumnShown(name, { name: false })).toBe(true);
});

test("a view keeps filters and sort, and neither the page nor an open trace", () => {
  expect(searchOfView({ p: "3", trace: "x", keyword: "mirror", sort: "name", odd: 7 })).toEqual({
    keyword: "mirror",
    sort: "name",
  });
});

test("a view of the same name is replaced, and the oldest goes above the maximum", () => {
  const view = (name: string, keyword = "") => ({ name, search: { keyword }, columns: {} });
  const views = Array.from({ length: keptViewsMax }, (_, place) => view(`view ${place}`));
  expect(keepView(views, view("view 3", "x"))).toHaveLength(keptViewsMax);
  expect(keepView(views, view("view 3", "x")).at(-1)).toEqual(view("view 3", "x"));
  expect(keepView(views, view("one more")).map(({ name }) => name)).not.toContain("view 0");
});

test("a list shows a view while address and columns are the view's", () => {
  const view = { name: "Failing", search: { outcome: "failed" }, columns: { retries: true } };
  const choice = { views: [view], columns: { retries: true } };
  expect(findCurrentView(choice, { outcome: "failed" })).toBe(view);
  expect(findCurrentView(choice, { outcome: "failed", slow: "true" })).toBeUndefined();
  expect(findCurrentView({ ...choice, columns: {} }, { outcome: "failed" })).toBeUndefined();
});

test("what is stored is read back", () => {
  const columns = fc.dictionary(fc.string(), fc.boolean());
  const view = fc.record({
    name: fc.string({ minLength: 1, maxLength: 40 }),
    search: fc.dictionary(fc.string(), fc.string()),
    columns,
  });
  fc.assert(
    fc.property(
      fc.record({ columns, views: fc.array(view, { maxLength: keptViewsMax }) }),
      (choice) => {
        expect(parseChoice(JSON.stringify(choice))).toEqual(JSON.parse(JSON.stringify(choice)));
      },
    ),
  );
});

test("whatever else stands in the storage is no choice, and never an error", () => {
  expect(parseChoice(null)).toEqual(noChoice);
  expect(parseChoice("{")).toEqual(noChoice);
  expect(
    parseChoice(
      '{"columns":[1],"views":[null,{"name":7},{"name":"a","search":{"p":{}},"columns":null}]}',
    ),
  ).toEqual({ columns: {}, views: [{ name: "a", search: {}, columns: {} }] });
  fc.assert(
    fc.property(fc.json(), (text) => {
      const { columns, views } = parseChoice(text);
      expect(typeof columns).toBe("object");
      expect(Array.isArray(views)).toBe(true);
    }),
  );
});
