// Every promise has tests, does not apply, or states what is open.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { mergeRecord, type RunRecord, readRuns } from "@tollgate/trust/runs/run-record.ts";
import { expect, test } from "vitest";
import { listFurtherFiles } from "../../../scripts/left-out-tests.ts";
import { largeTag, variantTag } from "../../../scripts/test-tags.ts";
import { repositoryDir } from "../harness/repository-dir.ts";
import { largeRuns } from "./large-runs.ts";
import {
  faults,
  invariants,
  knownFailures,
  leftOut,
  notApplicable,
  promiseIds,
  securityFindings,
} from "./promises.ts";
import { taggedTests, taggedTestsIn } from "./tagged-tests.ts";
import { countProofs, largeRunsSection, trustPage } from "./trust-page.ts";

const everyTagged = taggedTests();
const tests = everyTagged.filter(({ tags }) => !tags.includes(variantTag.name));
const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${n + 1}`);

test("the promises are the hundred numbers of known failures, the findings, the invariants and the faults, each once and in order", () => {
  const ids = Object.keys(knownFailures);
  expect(ids).toHaveLength(100);
  expect(ids).toEqual(ids.toSorted((one, other) => Number(one.slice(2)) - Number(other.slice(2))));
  const findings = Object.keys(securityFindings);
  expect(findings).toEqual(findings.toSorted());
  expect(Object.keys(invariants)).toEqual(numbered("I-", 20));
  expect(Object.keys(faults)).toEqual(
    numbered("FT-", 35).map((id) => id.replace(/-(\d)$/, "-0$1")),
  );
});

test("a promise has tests, or states why it has none", () => {
  const tagged = new Set(tests.flatMap(({ tags }) => tags));
  for (const id of promiseIds) {
    const why = notApplicable[id];
    expect(tagged.has(id) || why !== undefined || leftOut[id] !== undefined, id).toBe(true);
    if (why !== undefined) expect([tagged.has(id), leftOut[id]], id).toEqual([false, undefined]);
  }
  expect(promiseIds).toEqual(
    expect.arrayContaining([...Object.keys(notApplicable), ...Object.keys(leftOut)]),
  );
});

test("a tag names a promise, and a test with a promise is neither skipped nor expected to fail", () => {
  for (const { file, title, tags, callee } of tests) {
    const promised = tags.filter((tag) => tag !== largeTag.name);
    expect(promiseIds, `${file}: ${title}`).toEqual(expect.arrayContaining(promised));
    expect(callee, `${file}: ${title}`).not.toMatch(/\.(skip|todo|fails|only)\b/);
  }
});

test("a variant, which npm test leaves out, shows no promise", () => {
  const variants = everyTagged.filter(({ tags }) => tags.includes(variantTag.name));
  expect(variants.filter(({ tags }) => tags.some((tag) => promiseIds.includes(tag)))).toEqual([]);
});

test("what a large test promises is shown by a test of npm test too", () => {
  const further = new Set(listFurtherFiles());
  const [large = [], everyday = []] = [true, false].map((isLarge) =>
    tests.filter(
      ({ tags, file }) => (tags.includes(largeTag.name) || further.has(file)) === isLarge,
    ),
  );
  const shown = new Set(
    everyday.filter(({ file }) => !file.endsWith(".large.test.ts")).flatMap(({ tags }) => tags),
  );
  for (const { file, title, tags } of large)
    for (const id of tags.filter((tag) => tag !== largeTag.name))
      expect(shown, `${id}, ${file}: ${title}`).toContain(id);
});

test("each file that is large as a whole exists, and is named once", () => {
  const named = listFurtherFiles();
  expect(named.filter((file) => !existsSync(join(repositoryDir, file)))).toEqual([]);
  expect(new Set(named).size).toBe(named.length);
});

test("tags are read from tests, tables of tests and suites", () => {
  const source = [
    'test("one", { tags: ["F-01"] }, run);',
    'test.each(rows)("%s", { timeout: 5, tags: ["F-02", "I-1"] }, run);',
    "describe(`on a store`, { tags: [",
    '  "FT-01",',
    "] }, run);",
    'describe("many", { tags: ["large"] }, () => {',
    '  test("two", { tags: ["F-03"] }, run);',
    "});",
    'other("three", { tags: ["F-04"] }, run);',
  ].join("\n");
  expect(taggedTestsIn("a.test.ts", source)).toEqual([
    { file: "a.test.ts", line: 1, title: "one", tags: ["F-01"], callee: "test" },
    { file: "a.test.ts", line: 2, title: "%s", tags: ["F-02", "I-1"], callee: "test.each(rows)" },
    { file: "a.test.ts", line: 3, title: "on a store", tags: ["FT-01"], callee: "describe" },
    { file: "a.test.ts", line: 6, title: "many", tags: ["large"], callee: "describe" },
    { file: "a.test.ts", line: 7, title: "two", tags: ["F-03", "large"], callee: "test" },
  ]);
});

// Every test file is parsed, which takes more than the usual limit on a busy machine.
test("the page has a row for each promise and each large run", { timeout: 240_000 }, () => {
  const page = trustPage();
  const rows = page.split("\n").filter((line) => line.startsWith("| "));
  expect(promiseIds.filter((id) => !rows.some((row) => row.startsWith(`| ${id} |`)))).toEqual([]);
  expect(
    largeRuns.filter(({ command }) => !rows.some((row) => row.includes(`\`${command}\``))),
  ).toEqual([]);
  const { promises, tested, notApplicable: without } = countProofs();
  expect(promises).toBe(promiseIds.length);
  expect(tested + without).toBeLessThanOrEqual(promises);
});

test("nothing was recorded that is no large run, and nothing twice", () => {
  const recorded = readRuns().map(({ run }) => run);
  expect(largeRuns.map(({ run }) => run)).toEqual(expect.arrayContaining(recorded));
  expect(new Set(recorded).size).toBe(recorded.length);
});

const record = (more: Partial<RunRecord>): RunRecord => ({
  run: "soak on sqlite",
  command: "npm run trust -- soak",
  size: 20,
  passed: true,
  figures: "none",
  date: "2026-11-21",
  commit: "abc",
  machine: "one",
  ...more,
});

test.each<[string, Partial<RunRecord>, Partial<RunRecord>, "kept" | "replaced"]>([
  ["a larger one", { size: 20 }, { size: 30 }, "replaced"],
  ["one as large", { size: 20 }, { size: 20 }, "replaced"],
  ["a smaller one", { size: 20 }, { size: 10 }, "kept"],
  ["a smaller one that failed", { size: 20 }, { size: 10, passed: false }, "replaced"],
  ["a smaller one, after one that failed", { size: 20, passed: false }, { size: 10 }, "replaced"],
])("what a run found, and then %s", (_, first, then, outcome) => {
  const other = record({ run: "model on sqlite" });
  const later = record({ ...then, figures: "later" });
  const [model, soak, ...rest] = mergeRecord([record(first), other], later);
  expect(rest).toEqual([]);
  expect(model).toEqual(other);
  expect(soak).toEqual(outcome === "kept" ? record(first) : later);
});

test("a large run without a record is shown as not run", () => {
  expect(
    largeRunsSection([])
      .join("\n")
      .match(/\| not run \|/g),
  ).toHaveLength(largeRuns.length);
});

test.each<[Partial<RunRecord>, string]>([
  [{ size: 20 }, "| passed, short of the goal |"],
  [{ size: 1_440 }, "| passed |"],
  [{ size: 1_440, passed: false }, "| FAILED |"],
])("a soak of %o is shown as %s", (found, state) => {
  expect(largeRunsSection([record(found)]).join("\n")).toContain(state);
});
