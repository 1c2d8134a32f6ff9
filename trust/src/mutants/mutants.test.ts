// The mutation tester itself: its mistakes, its branches, its score, and that a lane notices a
// failing test.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { describe, expect, test } from "vitest";
import { instrument, untaken } from "./branches.ts";
import { equivalentMutants, unreachableBranches } from "./equivalent-mutants.ts";
import { applied, mutantsOf } from "./find-mutants.ts";
import { moneyModules } from "./money-modules.ts";
import { sqlMutations } from "./mutate-sql.ts";
import { mutationScore } from "./mutation-score.ts";
import { startLane } from "./run-mutants.ts";

const sourceOf = (file: string): string => readFileSync(join(repositoryDir, file), "utf8");
/** Every mutated text of a source. */
const texts = (source: string): string[] =>
  mutantsOf(source).map((mutant) => applied(source, mutant));
/** A text has no place in the repository, so what it imports is named by its address. */
const load = async (text: string): Promise<Record<string, (...all: unknown[]) => unknown>> => {
  const placed = text.replaceAll(
    '"@tollgate/contract/',
    `"${pathToFileURL(join(repositoryDir, "contract/src"))}/`,
  );
  return await import(`data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(placed))}`);
};

const price = sourceOf("gateway/src/money/prices/price.ts");
const priceMutants = mutantsOf(price);

describe("a mistake", () => {
  test.each<[string, string, string[]]>([
    ["a boundary", "f(a < b)", [";", "f(a <= b)", "f(a >= b)"]],
    [
      "a boundary that decides",
      "x = a <= b ? 2 : c",
      ["a < b ?", "true ?", "false ?", "? 3 :", "? 1 :"],
    ],
    ["a sign", "x = a + b - c", ["a - b - c", "a + b + c"]],
    ["a factor", "x = a * b", ["a / b"]],
    [
      "both conditions, or one alone",
      "x = a && b > 1 ? c : d",
      ["a || b", "true && b", "a && true", "b >= 1", "b > 2", "b > 0"],
    ],
    ["a missing default", "x = a ?? 0", ["= a", "= (0)", "?? 1"]],
    ["a part that may be missing", "x = a?.b", ["= a.b"]],
    ["one more and one less", "x = 7n", ["8n", "6n"]],
    ["the other rounding", "x = Math.ceil(a)", ["Math.floor(a)", "Math.round(a)"]],
    ["the other end", "x = Math.min(a, b)", ["Math.max(a, b)"]],
    ["no filter", "x = a.filter(f)", ["= a"]],
    ["no statement", "function f() { g(); return h; }", ["{ ; return", "return undefined;"]],
    ["no round of a loop", "for (const a of b) c(a);", ["of [])", ") ;"]],
    ["no such case", "switch (a) { case 'b': c(); break; default: }", ["switch (a) {  default"]],
    ["the other answer", "x = true", ["= false"]],
  ])("is %s", (_, source, expected) => {
    const made = texts(source);
    for (const part of expected)
      expect(
        made.some((text) => text.includes(part)),
        part,
      ).toBe(true);
  });

  test("does not exist in types, imports and texts for readers", () => {
    const source = `import { a } from "b"; interface C { d: 1 } type E = 2 | 3; const f: 4 = "five" as "six";`;
    expect(texts(source)).toEqual([]);
  });

  test("is unique, parses, and names its line", () => {
    expect(priceMutants.length).toBeGreaterThan(150);
    expect(new Set(priceMutants.map((mutant) => applied(price, mutant))).size).toBe(
      priceMutants.length,
    );
    const lines = price.split("\n");
    const half = priceMutants.find(({ change }) => change.includes("chargeDivisor - [1n => 0n]"));
    expect(lines[(half?.line ?? 0) - 1]).toContain("(scaled + chargeDivisor - 1n)");
  });

  test.each<[string, string, string[]]>([
    [
      "a guard",
      '"update w set held = held + ? where id = ? and balance - held >= ?"',
      [
        "held - ?",
        "balance + held",
        "held > ?",
        "held < ?",
        "(id = ? or 1 = 1)",
        "and (balance - held >= ? or 1 = 1)",
      ],
    ],
    ["a bound", "`update t set a = max(0, a - ?)`", ["min(0", "max(1", "a + ?"]],
    [
      "a state",
      "`update t set a = case when b = 1 then 4 else b end`",
      ["= 2 then", "then 5", "(b = 1 or 1 = 1)"],
    ],
    ["a sum", "`coalesce((select sum(a) from b), 0)`", ["max(a)", "), 1)"]],
  ])("in a statement of SQL is one of %s", (_, text, expected) => {
    const made = sqlMutations(text).map(
      ({ at, length, other }) => text.slice(0, at) + other + text.slice(at + length),
    );
    for (const part of expected)
      expect(
        made.filter((one) => one.includes(part)),
        part,
      ).toHaveLength(1);
  });
  test("in a text that is no SQL is none", () => {
    expect(sqlMutations('"a limit >= 1 ends it"')).toEqual([]);
  });
});

test("a price with a mistake in its last line is another price, as the tests of prices would notice", async () => {
  const ofCharge = priceMutants.filter(
    ({ change }) => change.includes("(scaled") && change.includes("chargeDivisor"),
  );
  expect(ofCharge.length).toBeGreaterThanOrEqual(4);
  const rates = { input: 3n, cache_read: 0n, cache_write_5m: 0n, cache_write_1h: 0n, output: 0n };
  const charges = async (text: string): Promise<unknown[]> => {
    const { charge } = await load(text);
    return [0, 1, 1_000_000, 2_000_000].map((input) => {
      try {
        return charge?.({ rates }, { input }, 1_000_000);
      } catch (error) {
        return (error as Error).name;
      }
    });
  };
  const expected = await charges(price);
  expect(expected).toEqual([0, 1, 2, 3]);
  for (const mutant of ofCharge.filter(({ change }) => !change.includes("1n => 2n")))
    expect(await charges(applied(price, mutant)), mutant.change).not.toEqual(expected);
});

test("of a source each side of every fork is noted when it is taken", async () => {
  const dir = mkdtempSync(join(tmpdir(), "tollgate-branches-"));
  try {
    const notes = join(dir, "notes");
    const source = `export function f(a, b = 1) { if (a && a.b?.c > b) return "x"; switch (a ?? 3) { case 3: return "y"; } return "z"; }`;
    const fork = instrument(source, notes);
    const { f } = await load(fork.text);
    expect([f?.({ b: { c: 2 } }), f?.({ b: { c: 0 } }, 0)]).toEqual(["x", "z"]);
    expect(untaken(fork, notes).map(({ name }) => name)).toEqual([
      "a: does not hold",
      "a.b: is not there",
      "a: is not there",
      "3: is the case",
    ]);
    expect([f?.(undefined), f?.({})]).toEqual(["y", "z"]);
    expect(untaken(fork, notes)).toEqual([]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

describe("the verdict", () => {
  const survivor = (change: string) => ({ start: 0, end: 0, replacement: "", line: 3, change });
  const found = [
    {
      file: "a.ts",
      branches: 9,
      untaken: [{ line: 4, name: "n", note: "" }],
      mutants: 20,
      survivors: [survivor("same"), survivor("bad")],
    },
  ];
  const row = (change: string, file = "a.ts") => ({ file, change, why: "because" });
  test("counts what was noticed of what can be", () => {
    expect(mutationScore(found, { mutants: [row("same")], branches: [] })).toMatchObject({
      ...{ mutants: 20, killed: 18, equivalent: 1, score: 94, survivors: ["a.ts:3 bad"] },
      ...{ branches: 9, unreachable: 0, uncovered: ["a.ts:4 n"], unneeded: [] },
    });
  });
  test("names rows that nothing needs, but not those of modules that were not tried", () => {
    const mutants = [row("same"), row("gone"), row("gone", "b.ts")];
    expect(mutationScore(found, { mutants, branches: [row("n"), row("m")] })).toMatchObject({
      ...{ uncovered: [], unreachable: 1, unneeded: ["a.ts gone", "a.ts m"] },
    });
  });
});

test("every module and its tests are there, and every row of the lists is about one of them", () => {
  const files = moneyModules.map(({ file }) => file);
  for (const { file, tests } of moneyModules)
    for (const path of [file, ...tests]) expect(sourceOf(path)).not.toBe("");
  for (const row of [...equivalentMutants, ...unreachableBranches])
    expect(files).toContain(row.file);
});

test("every row of the lists names a mutant or a branch of today's source", {
  tags: ["large"],
  timeout: 60_000,
}, () => {
  for (const [file, rows] of Map.groupBy(equivalentMutants, (row) => row.file)) {
    const changes = mutantsOf(sourceOf(file)).map(({ change }) => change);
    for (const { change } of rows) expect(changes).toContain(change);
  }
  for (const [file, rows] of Map.groupBy(unreachableBranches, (row) => row.file)) {
    const names = instrument(sourceOf(file), "").branches.map(({ name }) => name);
    for (const { change } of rows) expect(names).toContain(change);
  }
});

test("a lane overrides a source without changing the file, and names the test that noticed", async () => {
  const file = "gateway/src/money/quota-text.ts";
  const source = sourceOf(file);
  const lane = startLane();
  const run = (text: string) =>
    lane.run({
      override: { file: join(repositoryDir, file), text },
      tests: [join(repositoryDir, "gateway/src/money/quota-text.test.ts")],
    });
  try {
    expect(await run(source.replace("microsPerUnit = 2", "microsPerUnit = 3"))).toEqual({
      passed: false,
      failure: "1 units are $0.000002 or 1 quota",
    });
    expect(await run(source)).toEqual({ passed: true, failure: "" });
    expect(sourceOf(file)).toBe(source);
  } finally {
    lane.close();
  }
}, 60_000);
