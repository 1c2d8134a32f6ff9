import fc from "fast-check";
import { expect, test } from "vitest";
import { findJsonSyntaxError, formatJson } from "./json-editor-scan.ts";

test.each([
  ["", 1, 1],
  ["{", 1, 2],
  ['{"a": b}', 1, 7],
  ['{"a": 1,}', 1, 9],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
  ['{"a": "x}', 1, 7],
  ["[1, 2", 1, 6],
  ["{} x", 1, 4],
  ["{'a': 1}", 1, 2],
  ["[01]", 1, 3],
])("%j goes wrong at line %i, column %i", (text, line, column) => {
  expect(findJsonSyntaxError(text)).toMatchObject({ line, column });
});

test("whatever the browser reads has no trouble", () => {
  fc.assert(fc.property(fc.json(), (text) => findJsonSyntaxError(text) === undefined));
});

test("cutting valid JSON is found inside or at the end of what is left", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, cut) => {
      const left = text.slice(0, cut % text.length);
      const trouble = findJsonSyntaxError(left);
      return trouble === undefined || (trouble.offset >= 0 && trouble.offset <= left.length);
    }),
  );
});

test("formatting indents by two and leaves nonsense alone", () => {
  expect(formatJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(formatJson("{a")).toBe("{a");
});
