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
])("%j has its error at line %i, column %i", (text, line, column) => {
  expect(findJsonSyntaxError(text)).toMatchObject({ line, column });
});

test("text that the browser parses has no syntax error", () => {
  fc.assert(fc.property(fc.json(), (text) => findJsonSyntaxError(text) === undefined));
});

test("truncated JSON has its error inside or at the end of the rest", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, cut) => {
      const left = text.slice(0, cut % text.length);
      const error = findJsonSyntaxError(left);
      return error === undefined || (error.offset >= 0 && error.offset <= left.length);
    }),
  );
});

test("formatting indents by two spaces and leaves invalid JSON unchanged", () => {
  expect(formatJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(formatJson("{a")).toBe("{a");
});
