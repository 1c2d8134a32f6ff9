import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { buildNestedObject, findUnitsOfDollars, listItems, utcTime } from "./litellm-fields.ts";

test.each([
  ["0", 0],
  ["0.0075", 3_750],
  ["1e-06", 1],
  ["9.99e-07", 0],
  ["1.5e+06", 750_000_000_000],
  ["-3.2", 0],
  ["Infinity", quotaMax],
  ["1e30", quotaMax],
  ["NaN", undefined],
  ["", undefined],
])("%s dollars are %s units", (text, units) => {
  expect(findUnitsOfDollars(text)).toBe(units);
});

test.each([
  ["{}", []],
  ["{a,b}", ["a", "b"]],
  [
    '{"a, b","say \\"hi\\"",NULL,"NULL","back\\\\slash"}',
    ["a, b", 'say "hi"', "NULL", "back\\slash"],
  ],
  ["{a,}", undefined],
  ["{{a},{b}}", undefined],
  ["a,b", undefined],
])("the list %s has the items %j", (text, items) => {
  expect(listItems(text)).toEqual(items);
});

test("any list of texts is read as PostgreSQL writes it", () => {
  const written = (items: readonly string[]) =>
    `{${items.map((item) => `"${item.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
  fc.assert(
    fc.property(fc.array(fc.string()), (items) => {
      expect(listItems(written(items))).toEqual(items);
    }),
  );
});

test.each([
  ["2026-03-01 12:30:00.5", Date.UTC(2026, 2, 1, 12, 30, 0, 500)],
  ["2026-03-01 12:30:00+02", Date.UTC(2026, 2, 1, 10, 30)],
  [null, undefined],
])("the time %s is %s", (text, ms) => {
  expect(z.parse(utcTime, text)).toBe(ms);
});

test("JSON inside a text of JSON is found, and anything else is empty", () => {
  expect(buildNestedObject('"{\\"a\\":1}"')).toEqual({ a: 1 });
  expect(buildNestedObject('{"a":1}')).toEqual({ a: 1 });
  for (const other of ["[1]", "null", "x", null, 1]) expect(buildNestedObject(other)).toEqual({});
});
