// The page of trust, made of the promises, of the tests that carry them as tags, and of what the
// large runs found.

import type { ProofCounts } from "@tollgate/trust/proof-figures.ts";
import { type RunRecord, readRuns, staleFrom } from "@tollgate/trust/runs/run-record.ts";
import { type LargeRun, largeRuns } from "./large-runs.ts";
import {
  alertPromises,
  batchPromises,
  budgetPromises,
  dualRunPromises,
  faults,
  invariants,
  knownFailures,
  leftOut,
  managementKeyPromises,
  mcpPromises,
  notApplicable,
  passkeyPromises,
  promiseIds,
  securityFindings,
} from "./promises.ts";
import { signInPromises } from "./sign-in-promises.ts";
import { type TaggedTest, taggedTests } from "./tagged-tests.ts";

const introduction = `# Trust

How gateways of this kind have failed, what can go wrong around one, and what shows that it does not happen here. Each
promise stands in \`tests/src/trust/promises.ts\`, and the tests that show it carry its id as a tag.
\`npm run trust -- promises\` runs every test that is named here and prints a line for each promise;
\`npx vitest run --tags-filter F-01\` runs the tests of one.

- **tested**: the named tests show it. \`npm test\` leaves out \`*.large.test.ts\`, tests with the tag \`large\`, of which it runs one with
  the same promise, and variants, which show the same for a further list, provider or database; \`.ci/run\` adds all large ones but
  those of screens on a quick machine, and \`npm run trust -- short\` runs everything.
- **tested in part**: the same, and the row says what they leave out.
- **not applicable**: nothing here can fail this way, and the row says why.
- **open**: no test shows it.`;

type PromiseState = "tested" | "tested in part" | "not applicable" | "open";

export function promiseState(id: string, testCount: number): PromiseState {
  if (notApplicable[id] !== undefined) return "not applicable";
  if (testCount === 0) return "open";
  return leftOut[id] === undefined ? "tested" : "tested in part";
}

/** A bar would end the cell. */
const cell = (text: string): string => text.replaceAll("|", "\\|");

function shownBy(id: string, tests: readonly TaggedTest[]): string {
  // A table whose first rows run in `npm test` stands in its file twice.
  const named = new Set(tests.map(({ file, title }) => `\`${file}\`: ${title}`));
  const why = notApplicable[id] ?? leftOut[id];
  return cell(
    [
      ...named,
      ...(why === undefined ? [] : [`*${tests.length > 0 ? "Left out: " : ""}${why}*`]),
    ].join("<br>"),
  );
}

const table = (heads: readonly string[], rows: readonly string[][]): string =>
  [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

type TestsOfPromises = ReadonlyMap<string, readonly { test: TaggedTest }[]>;

const testsOfPromises = (): TestsOfPromises =>
  Map.groupBy(
    taggedTests().flatMap((test) => test.tags.map((tag) => ({ tag, test }))),
    ({ tag }) => tag,
  );

/** A row for each promise: its texts, its state and the tests that show it. */
function section(
  tests: TestsOfPromises,
  title: string,
  heads: string[],
  promises: Readonly<Record<string, readonly string[]>>,
): string[] {
  const rows = Object.entries(promises).map(([id, texts]) => {
    const shown = (tests.get(id) ?? []).map(({ test }) => test);
    return { id, texts, state: promiseState(id, shown.length), shown };
  });
  const counts = Map.groupBy(rows, ({ state }) => state);
  return [
    `## ${title}`,
    `${rows.length} rows: ${[...counts].map(([state, some]) => `${some.length} ${state}`).join(", ")}.`,
    table(
      ["Id", ...heads, "State", "Shown by"],
      rows.map(({ id, texts, state, shown }) => [
        id,
        ...texts.map(cell),
        state,
        shownBy(id, shown),
      ]),
    ),
  ];
}

const single = (texts: Readonly<Record<string, string>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(texts).map(([id, text]) => [id, [text]]));

const largeIntroduction = `These take hours, so no full run holds them; each writes what it found into
\`docs/assurance/trust-runs.json\` by itself, and its short form is among the tests above. A run stays until one as large takes its
place, or one that fails, and is stale after 14 days: \`npm run trust\` lists which ones are.`;

function stateOf(goalSize: number, found: RunRecord | undefined): string {
  if (found === undefined) return "not run";
  if (!found.passed) return "FAILED";
  return found.size < goalSize ? "passed, short of the goal" : "passed";
}

function largeRunRow(
  { run, promise, command, goal, goalSize = 0 }: LargeRun,
  records: readonly RunRecord[],
): string[] {
  const found = records.find((record) => record.run === run);
  const state = stateOf(goalSize, found);
  const when = found === undefined ? "" : `${found.date}, ${found.commit}, ${found.machine}`;
  const stale = found === undefined ? "" : staleFrom(found);
  return [
    cell(promise),
    `\`${command}\``,
    goal,
    state,
    cell(found?.figures ?? ""),
    cell(when),
    stale,
  ];
}

export const largeRunsSection = (records: readonly RunRecord[] = readRuns()): string[] => [
  "## Large runs",
  largeIntroduction,
  table(
    ["Promise", "Command", "Goal", "State", "Figures", "When and where", "Stale from"],
    largeRuns.map((run) => largeRunRow(run, records)),
  ),
];

export function trustPage(): string {
  const tests = testsOfPromises();
  return [
    introduction,
    ...section(tests, "Known failures", ["Promise"], single(knownFailures)),
    ...section(tests, "Findings of the penetration test", ["Promise"], single(securityFindings)),
    ...section(tests, "Management keys", ["Promise"], single(managementKeyPromises)),
    ...section(tests, "Dual run", ["Promise"], single(dualRunPromises)),
    ...section(tests, "Passkeys", ["Promise"], single(passkeyPromises)),
    ...section(tests, "Recent proof and leavers", ["Promise"], single(signInPromises)),
    ...section(tests, "Budgets", ["Promise"], single(budgetPromises)),
    ...section(tests, "Batches and videos", ["Promise"], single(batchPromises)),
    ...section(tests, "MCP servers", ["Promise"], single(mcpPromises)),
    ...section(tests, "Alerts and notices", ["Promise"], single(alertPromises)),
    ...section(tests, "Invariants of money", ["Promise"], single(invariants)),
    ...section(tests, "Faults", ["Fault", "Promise"], faults),
    ...largeRunsSection(),
    "",
  ].join("\n\n");
}

export function countProofs(records: readonly RunRecord[] = readRuns()): ProofCounts {
  const tests = taggedTests().filter(({ tags }) => tags.some((tag) => promiseIds.includes(tag)));
  const tagged = new Set(tests.flatMap(({ tags }) => tags));
  return {
    promises: promiseIds.length,
    tested: promiseIds.filter((id) => tagged.has(id)).length,
    notApplicable: promiseIds.filter((id) => notApplicable[id] !== undefined).length,
    tests: new Set(tests.map(({ file, title }) => `${file}: ${title}`)).size,
    largeRuns: largeRuns.length,
    passedRuns: largeRuns.filter(
      ({ run, goalSize = 0 }) =>
        stateOf(
          goalSize,
          records.find((record) => record.run === run),
        ) === "passed",
    ).length,
  };
}
