import { expect, test } from "vitest";
import { Refusal } from "../../../http/refusal.ts";
import { foldUsername, isAcceptedUsername, readNewName } from "./username-rules.ts";

test.each([
  [" root"],
  ["ROOT"],
  ["\uff52\uff4f\uff4f\uff54"],
  ["ro\u200bot"],
  ["ro\u00adot"],
  ["\u202eroot"],
  ["ro\u3164ot"],
  ["r\u043e\u043et"],
  ["r\u03bf\u03bft"],
])("%j looks like root", (name) => {
  expect(foldUsername(name)).toBe("root");
});

test("the two ways to write a letter with an accent are one name", () => {
  expect(foldUsername("Jose\u0301")).toBe(foldUsername("jos\u00e9"));
});

test.each([
  ["mira"],
  ["Mira Bell"],
  ["\u7c73\u62c9\u513f"],
  ["\u041c\u0438\u0440\u0430"],
  ["a.b-c_d+e"],
])("%j stays as it is", (name) => {
  expect([isAcceptedUsername(name), readNewName("before", name)]).toEqual([true, name]);
});

test.each([["victim@example.org"], ["a\uff20b"], ["ro\u200bot"], ["\u202egnp"], ["ab"], [""]])(
  "%j is refused",
  (name) => {
    expect(() => readNewName("before", name)).toThrow(Refusal);
  },
);

test("a name is stored without blanks around it and in the form NFKC", () => {
  expect(readNewName("before", "  \uff4d\uff49\uff52\uff41 ")).toBe("mira");
});

test("an unchanged name of before the rules is no change", () => {
  for (const old of ["victim@example.org", " root", "x"])
    expect(readNewName(old, old)).toBeUndefined();
  expect(readNewName("before", undefined)).toBeUndefined();
});
