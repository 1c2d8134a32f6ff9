import { expect, test } from "vitest";
import { listAcceptedLanguages } from "./accepted-languages.ts";

test.each([
  ["de-AT,de;q=0.9,en;q=0.8", ["de-AT", "de", "en"]],
  ["en;q=0.3, ja", ["ja", "en"]],
  ["fr;q=0, es;q=0.5", ["es"]],
  ["fr;q=much, es", ["es"]],
  ["", []],
])("the header %j names %j", (header, names) => {
  expect(listAcceptedLanguages(new Headers({ "accept-language": header }))).toEqual(names);
});

test("a request without the header names none", () => {
  expect(listAcceptedLanguages(new Headers())).toEqual([]);
});
