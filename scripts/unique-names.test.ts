import { expect, test } from "vitest";
import { findNameClashes, readTypeDeclarations } from "./unique-names.ts";

const clashesIn = (files: Record<string, string>) =>
  findNameClashes(new Map(Object.entries(files)));

test("every kind of type declaration is read, wherever it stands", () => {
  const source = `
interface A {}
export type B<X> = X[];
class C {}
export const f = () => { type D = 1; return 0 as D; };
const Text = "interface E {}";`;
  expect(readTypeDeclarations("a.ts", source).map(({ name, line }) => `${name} ${line}`)).toEqual([
    "A 2",
    "B 3",
    "C 4",
    "D 5",
  ]);
});

test("a type that two files declare is named in the second, with the first", () => {
  expect(clashesIn({ "a/x.ts": "interface Token {}", "b/y.ts": "\ntype Token = 1;" })).toEqual([
    { file: "b/y.ts", line: 2, message: "type Token is declared in a/x.ts as well" },
  ]);
});

test("two files of one name and a name without a subject are refused", () => {
  expect(clashesIn({ "a/x.ts": "", "b/x.ts": "" })).toEqual([
    { file: "b/x.ts", line: 1, message: "has the file name of a/x.ts" },
  ]);
  expect(clashesIn({ "a.ts": "type Call = 1;" })).toMatchObject([{ file: "a.ts", line: 1 }]);
});

test("values, imports and other types may share names", () => {
  expect(
    clashesIn({
      "a.ts": "export const Token = 1;",
      "b.ts": 'import type { Token } from "./c.ts";',
    }),
  ).toEqual([]);
});
