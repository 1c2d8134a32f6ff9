import { expect, test } from "vitest";
import { findWideTypes } from "./wide-types.ts";

const members = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `m${from + index}: number;`).join(" ");
const importing = (name: string, times: number): [string, string][] =>
  Array.from({ length: times }, (_, index) => [
    `gateway/src/relay/user-${name}-${index}.ts`,
    `import type { ${name} } from "./x.ts";`,
  ]);
const find = (declarations: string, name: string, importers = 6) =>
  findWideTypes([["gateway/src/relay/x.ts", declarations], ...importing(name, importers)], (file) =>
    file.startsWith("gateway/src/relay/"),
  );

test("a type is wide by its members and by the files that import it", () => {
  const wide = `export interface Wide { ${members(0, 13)} }`;
  expect(find(wide, "Wide")).toEqual([{ name: "Wide", members: 13, importers: 6 }]);
  expect(find(wide, "Wide", 5)).toEqual([]);
  expect(find(`export interface Wide { ${members(0, 12)} }`, "Wide")).toEqual([]);
});

test("members of the types that a type is made of count once", () => {
  const parts = `interface A { ${members(0, 8)} } interface B extends A { ${members(8, 12)} }`;
  expect(find(`${parts} export type Both = A & B & { more: 1 };`, "Both")).toEqual([
    { name: "Both", members: 13, importers: 6 },
  ]);
  expect(find(`${parts} export type Both = Pick<B, "m1" | "m2"> & A;`, "Both")).toEqual([]);
});

test("private members of a class do not count", () => {
  expect(
    find(`export class Deep { ${members(0, 12)} #own = 1; private more = 2; }`, "Deep"),
  ).toEqual([]);
});
