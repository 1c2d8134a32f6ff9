// Every sentence of the specifications has a number of its own and tests that exist, and
// docs/assurance/sentences.md is up to date.
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryDir } from "../harness/repository-dir.ts";
import { sentencesPage } from "./sentences-page.ts";
import {
  findTest,
  readSentences,
  readTestTitles,
  specifications,
} from "./specification-sentences.ts";

test("the sentences of a specification are numbered from 1 on, and fit a cell", () => {
  for (const { letter, sentences } of specifications) {
    expect(sentences.length).toBeGreaterThan(200);
    expect(sentences.map(({ number }) => number)).toEqual(
      sentences.map((_, place) => `${letter}${place + 1}`),
    );
    expect(sentences.filter(({ text }) => text.length > 120)).toEqual([]);
  }
});

// Every test file that is named is parsed, which takes more than the usual limit on a busy machine.
test("every test that a sentence names exists, once", { timeout: 240_000 }, () => {
  const named = specifications.flatMap(({ sentences }) =>
    sentences.flatMap(({ number, shownBy }) => shownBy.map((one) => ({ number, one }))),
  );
  const wrong = named.flatMap(({ number, one }) => {
    const found = findTest(one);
    return typeof found === "string" ? [`${number}: ${found}`] : [];
  });
  expect(wrong).toEqual([]);
});

test("the page is made of today's sentences and titles", { timeout: 240_000 }, async () => {
  await expect(sentencesPage()).toMatchFileSnapshot(
    join(repositoryDir, "docs/assurance/sentences.md"),
  );
});

test("a sentence is read with its section, its decisions and its tests", () => {
  const text = '# First (A 1)\nA1 "Loading..." [12a, 4]\n  a.journey: shows that\nA2 Columns [x\n';
  expect(readSentences(text)).toEqual([
    {
      number: "A1",
      section: "First (A 1)",
      text: '"Loading..."',
      decisions: ["12a", "4"],
      shownBy: [{ file: "a.journey", words: "shows that" }],
    },
    { number: "A2", section: "First (A 1)", text: "Columns [x", decisions: [], shownBy: [] },
  ]);
  expect(() => readSentences("Neither one nor the other")).toThrow("no heading");
});

test("titles are read from tests, tables of tests and suites, and not where they are skipped", () => {
  const source = `describe("a suite", () => { test("one", run); });
testVariants(rows, { narrow: 2 })(\`$path of \${what}\`, run);
const title = "named before";
test.each(rows)(title, run);
test.skip("two", run);
other("three", run);`;
  expect(readTestTitles("a.test.ts", source).sort()).toEqual([
    `$path of \${what}`,
    "a suite",
    "named before",
    "one",
  ]);
});

test("a test that is missing, or named by the words of two, is none", () => {
  expect(findTest({ file: "no-such", words: "x" })).toBe("no file no-such.test.ts");
  expect(findTest({ file: "sentences-page", words: "x" })).toMatch(/^no test/);
  expect(findTest({ file: "sentences-page", words: "the " })).toMatch(/^several tests/);
});
