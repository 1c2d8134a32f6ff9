/**
 * What `npm test` leaves out, as arguments of `vitest run`: variants, the short forms of the large
 * runs, and files of which it runs a part.
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { largeParts, largeTag, variantsOnly, variantTag, withoutVariants } from "./test-tags.ts";

const root = join(import.meta.dirname, "..");
const slowProjects = ["journeys", "database", "api"].flatMap((project) => ["--project", project]);

/**
 * They fetch an identity server and libraries from PyPI; `npm run trust -- identity` holds them.
 */
const identityOfPython = "tests/src/identity/**";
/**
 * They fetch, compile and drive the libraries of six languages; `npm run trust -- clients` holds
 * them.
 */
const libraryTests = "tests/src/clients/**";
/** They build and install programs of other makers, which takes minutes and a connection. */
const judgeTests = "tests/src/judges/**";
/** Every screen at every width and in odd states: more than half of the time of all large runs. */
const screenTests = [
  "tests/src/journeys/**",
  "**/{text-injections,rich-text-injections}.large.test.ts",
];
/**
 * They take minutes of a processor or of waiting, and `npm test` shows the same in small:
 * body-cost.test.ts, sweep.db.test.ts, the tests of imports, of load shedding, of broken
 * connections and of failing databases.
 */
const longTests = [
  "body-cost",
  "broken-connections",
  "expired-leases",
  "faults",
  "older-sites",
  "overload",
].map((name) => `**/${name}.large.test.ts`);

const testFiles = (pattern: RegExp, names = "*.{journey,db,api}.test.ts"): string[] =>
  globSync(
    [`{contract,gateway,simulator,console,tests,trust}/src/**/${names}`, `scripts/**/${names}`],
    {
      cwd: root,
    },
  ).filter((file) => pattern.test(readFileSync(join(root, file), "utf8")));

/** `shard` as Vitest takes it, such as `1/3` for the first third of the files. */
export const variantTests = (shard = "1/1"): string[] => [
  ...slowProjects,
  variantsOnly,
  `--shard=${shard}`,
  ...testFiles(new RegExp(`"${variantTag.name}"|\\b(?:describe|test)Variants\\b`)),
];

/** Into so many parts CI splits the variants: one part takes about two minutes of one processor. */
const variantParts = 12;

/**
 * As many commits in a row take all shards; the first one where there is no repository, as in an
 * archive of the sources.
 */
export function shardOfCommit(): string {
  const { status, stdout } = spawnSync("git", ["rev-list", "--count", "HEAD"], {
    cwd: root,
    encoding: "utf8",
  });
  const commits = status === 0 ? Number(stdout) : 0;
  return `${(commits % variantParts) + 1}/${variantParts}`;
}

/** Files with large tests, of which `npm test` runs the others. */
const filesWithLargeParts = (): string[] =>
  testFiles(
    new RegExp(`"${largeTag.name}"|\\b(?:describe|test)Large\\b|\\blargeOn\\b`),
    "*.test.{ts,tsx}",
  );

/** The large tests of files of which `npm test` runs the others. */
export const largePartTests = (): string[] => [
  ...["--project", "unit", ...slowProjects],
  largeParts,
  ...filesWithLargeParts(),
];

/**
 * The files of which `npm test` runs a part: those with large tests, and those that narrow widths
 * or databases by these names.
 */
export const narrowTests = (): string[] => [
  ...["--project", "unit", ...slowProjects],
  ...testFiles(/\b(?:inspectScreen|ruleDatabases|ruleDatabaseKinds)\b/),
  ...filesWithLargeParts(),
];

/**
 * `isQuick` leaves out the screens, the longest runs, the libraries of other languages and the
 * variants; CI has no time for them.
 */
export const shortLargeTests = (isQuick: boolean): string[] => [
  ...["--project", "large"],
  ...(isQuick ? [withoutVariants] : []),
  ...[
    identityOfPython,
    judgeTests,
    ...(isQuick ? [...screenTests, ...longTests, libraryTests] : []),
  ].flatMap((files) => ["--exclude", files]),
];

/**
 * The variable with which CI looks at the screens of journeys: `npm test` walks none by keyboard.
 */
export const walkedScreens = { INSPECTION: "once" };

/** The variables with which the short forms of the large runs take every width and database. */
export const everyWidthAndDatabase = { INSPECTION: "full", DATABASES: "all" };
