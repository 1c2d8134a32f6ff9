// The lists name what exists, and the page says what the lists say.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryDir } from "../harness/repository-dir.ts";
import { faults } from "./faults.ts";
import { invariants } from "./invariants.ts";
import { knownFailures, knownRuns } from "./known-failures.ts";
import { largeRuns } from "./large-runs.ts";
import type { NamedTest } from "./promise.ts";
import { mergeRecord, type RunRecord, readRuns } from "./runs/run-record.ts";
import { trustPage } from "./trust-page.ts";

const rows = [
  ...knownFailures.map(({ id, ...row }) => ({ name: id, ...row })),
  ...invariants.map(({ id, ...row }) => ({ name: id, ...row })),
  ...faults.map(({ fault, ...row }) => ({ name: fault, ...row })),
];

test("every number from F-01 to F-132 that the list has is here once, in order", () => {
  const numbers = knownRuns.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, n) => first + n));
  expect(knownFailures.map(({ id }) => id)).toEqual(numbers.map((n) => `F-${String(n).padStart(2, "0")}`));
  expect(numbers).toHaveLength(100);
});

test("every invariant from I-1 to I-20 is here once, in order", () => {
  expect(invariants.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, n) => `I-${n + 1}`));
});

test("nothing was recorded that is no large run, and nothing twice", () => {
  const recorded = readRuns().map(({ run }) => run);
  expect(largeRuns.map(({ run }) => run)).toEqual(expect.arrayContaining(recorded));
  expect(new Set(recorded).size).toBe(recorded.length);
});

const record = (extra: Partial<RunRecord>): RunRecord => ({
  run: "soak on sqlite",
  command: "node scripts/trust-soak.ts",
  size: 20,
  passed: true,
  figures: "none",
  date: "2026-11-21",
  commit: "abc",
  machine: "one",
  ...extra,
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

test("a large run that nobody has made is said to be not run", () => {
  expect(trustPage([]).match(/\| not run \|/g)).toHaveLength(largeRuns.length);
});

test.each<[Partial<RunRecord>, string]>([
  [{ size: 20 }, "| passed, short of the goal |"],
  [{ size: 1_440 }, "| passed |"],
  [{ size: 1_440, passed: false }, "| FAILED |"],
])("a soak of %o is said to have %s", (found, state) => {
  expect(trustPage([record(found)])).toContain(state);
});

/** The line of a file in which the title begins, with what stands before it up to the test's name. */
function placeOf([file, title]: NamedTest): string | undefined {
  const text = readFileSync(join(repositoryDir, file), "utf8");
  const at = ['"', "'", "`"].map((quote) => text.indexOf(quote + title)).find((found) => found >= 0);
  if (at === undefined) return undefined;
  const start = Math.max(text.lastIndexOf("\n", text.lastIndexOf("test", at)), text.lastIndexOf("\ndescribe", at));
  return text.slice(start + 1, at);
}

test.each(rows)("$name is shown, does not apply, or is open", ({ tests = [], notApplicable, open, promise }) => {
  expect(promise.length).toBeGreaterThan(5);
  expect(tests.length > 0 || notApplicable !== undefined || open !== undefined).toBe(true);
  if (notApplicable !== undefined) expect([tests.length, open]).toEqual([0, undefined]);
});

test.each(rows.filter(({ tests }) => tests))("$name names tests that exist and run", ({ tests = [] }) => {
  for (const named of tests) {
    const [file, title] = named;
    expect(existsSync(join(repositoryDir, file)), file).toBe(true);
    const before = placeOf(named);
    expect(before, `${file} has no test ${title}`).toBeDefined();
    expect(before, title).not.toMatch(/\.(skip|todo|fails)\b/);
    expect(readFileSync(join(repositoryDir, file), "utf8"), file).not.toMatch(/\b(test|describe)\.(skip|todo|only)\(/);
  }
});

test("the page says what the lists say", async () => {
  await expect(trustPage()).toMatchFileSnapshot(join(repositoryDir, "docs/trust.md"));
});
