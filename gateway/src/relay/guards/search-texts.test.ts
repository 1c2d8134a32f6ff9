import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { DenyListsInvalid, loadPatternEngine, readDenyLists } from "../../settings/deny-lists.ts";
import { searchTexts } from "./guards.ts";

beforeAll(loadPatternEngine);

const listsOf = (list: object) => readDenyLists(JSON.stringify([{ name: "plans", ...list }]));
const isFound = async (list: object, ...texts: string[]) =>
  (await searchTexts(texts, { lists: listsOf(list), findSecret: undefined }))?.list === "plans";

test("a word is found in any case and any spelling that looks the same, and not within another word", async () => {
  const words = { words: ["Zephyr", "north star", "ass", "机密"] };
  for (const text of [
    "about ZEPHYR.",
    "zephyr",
    "a North Star b",
    "z\u200Bephyr",
    "\uFF3Aephyr",
    "这是机密文件",
  ])
    expect([text, await isFound(words, "innocent", text)]).toEqual([text, true]);
  for (const text of ["zephyrs", "class", "northstar", "机 密"])
    expect([text, await isFound(words, text)]).toEqual([text, false]);
});

test("patterns are those of RE2", async () => {
  const patterns = { patterns: ["project-[a-z]+-\\d{4}", "(?i)top secret"] };
  expect(await isFound(patterns, "see project-blue-2026")).toBe(true);
  expect(await isFound(patterns, "TOP SECRET")).toBe(true);
  expect(await isFound(patterns, "see Project-blue-2026")).toBe(false);
});

test("a pattern that would keep a backtracking engine busy for ever ends", async () => {
  expect(await isFound({ patterns: ["(a+)+$x"] }, `${"a".repeat(200_000)}!`)).toBe(false);
});

test("a word is found wherever it stands in a long text", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 300_000 }), async (place) => {
      expect(
        await isFound({ words: ["zephyr"] }, `${"x ".repeat(place / 2)}zephyr${" y".repeat(20)}`),
      ).toBe(true);
    }),
    { numRuns: 20 },
  );
});

test.each([
  ["no JSON", "{"],
  ["no list", "{}"],
  ["a list without a name", '[{"words":["a"]}]'],
  ["an empty list", '[{"name":"a"}]'],
  ["an empty word", '[{"name":"a","words":[""]}]'],
  ["a pattern with a look-ahead", '[{"name":"a","patterns":["(?=x)"]}]'],
  ["a pattern with a backreference", '[{"name":"a","patterns":["(a)\\\\1"]}]'],
  ["an unknown member", '[{"name":"a","words":["b"],"key":[1]}]'],
])("%s is refused as a setting", (_name, text) => {
  expect(() => readDenyLists(text)).toThrow(DenyListsInvalid);
});
