import { expect, test } from "vitest";
// As text: its labels are macros, which only the console's build knows.
import navigationSource from "./navigation.ts?raw";
import { keysOfPage, readShortcut } from "./shortcuts.ts";

const paths = ["/dashboard", "/tokens"];

test.each([
  ["?", undefined, { does: "help" }],
  ["/", undefined, { does: "search" }],
  ["g", undefined, { does: "wait" }],
  ["t", "g", { does: "go", path: "/tokens" }],
  ["t", undefined, undefined],
  // A user who may not open the page.
  ["c", "g", undefined],
  ["?", "g", undefined],
  ["constructor", "g", undefined],
] as const)("the key %j after %j", (key, before, act) => expect(readShortcut(key, before, paths)).toEqual(act));

test("each page of the header has keys of its own", () => {
  const pages = [...navigationSource.matchAll(/\{ path: "([^"]+)"/g)].map(([, path = ""]) => path);
  expect(pages).toContain("/dashboard");
  const keys = pages.map((path) => keysOfPage(path)?.join(" "));
  expect(keys).not.toContain(undefined);
  expect(new Set(keys).size).toBe(pages.length);
});
