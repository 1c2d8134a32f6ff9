/**
 * What `npm test` leaves out, as arguments of `vitest run`: variants, the short forms of the large
 * runs, and files of which it runs a part.
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { largeTag, variantsOnly, variantTag, withoutVariants } from "./test-tags.ts";

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

/**
 * `furtherFiles` take minutes together, and no promise is shown by one of them alone: tours of
 * screens that others show in part, other servers of the family, imports run twice. Each is large as
 * a whole.
 */
const furtherFiles = {
  journeys: [
    ...["alerts", "all-keys", "below-a-path-sign-in", "bulk-verbs", "cached-answers"],
    ...["call-check", "call-contents", "channel-budgets", "cost-reports", "dashboard-insight"],
    ...["dual-run", "everyday-tasks", "family-server", "foreign-server", "forms-looked-at"],
    ...["key-groups", "key-holder", "language", "list-filters", "list-states"],
    ...["managed-objects", "mcp-servers", "odd-replies", "pause-key", "playground", "prices"],
    ...["public-pages", "reference", "report", "run-budgets", "service-health", "tags"],
    ...["thing-pages", "virtual-models"],
  ].map((name) => `tests/src/journeys/${name}.journey.test.ts`),
  database: [
    ...["api/daily-alerts", "api/daily-checks", "api/dying-node", "api/team-statement"].map(
      (name) => `tests/src/${name}.db.test.ts`,
    ),
    ...[
      ...["import/hostile-sites", "import/import-logs", "import/import-sources"],
      ...["import/later-runs", "import/litellm/litellm-logs", "import/older-versions"],
      ...["import/verify-prices", "doctor/doctor"],
    ].map((name) => `gateway/src/commands/${name}.db.test.ts`),
    ...["figures/dashboard/top-tokens", "storage/postgres-versions"].map(
      (name) => `gateway/src/${name}.db.test.ts`,
    ),
  ],
  api: [
    ...["api/absent-database", "api/configuration-commands", "api/mcp-command"],
    ...["api/option-effects", "api/resource-commands", "api/unknown-words"],
    ...["clients/openapi/generated-client", "import/moving-from-litellm", "import/site-import"],
    ...["relay/images", "relay/usage-audit", "trust/full-log"],
  ].map((name) => `tests/src/${name}.api.test.ts`),
} satisfies Partial<Record<string, readonly string[]>>;

type SlowProject = keyof typeof furtherFiles;
const isSlowProject = (name: string): name is SlowProject => Object.hasOwn(furtherFiles, name);

/** `excludeFurtherFiles` are arguments for a project of which `npm test` runs a part. */
export const excludeFurtherFiles = (project: string): string[] =>
  isSlowProject(project) ? furtherFiles[project].flatMap((file) => ["--exclude", file]) : [];

/** `furtherTests` are the arguments that run what `excludeFurtherFiles` leaves out. */
export const furtherTests = (): string[] => [
  ...slowProjects,
  withoutVariants,
  ...listFurtherFiles(),
];

/** `listFurtherFiles` gives paths from the root of the repository. */
export const listFurtherFiles = (): string[] => Object.values(furtherFiles).flat();

/**
 * `chooseFiles` keeps what arguments of Vitest say of projects and tags, and takes these files in
 * place of others and of a share.
 */
export const chooseFiles = (tests: readonly string[], files: readonly string[]): string[] => [
  ...tests.filter((argument, index) =>
    argument.startsWith("--")
      ? !argument.startsWith("--shard")
      : ["--project", "--exclude"].includes(tests[index - 1] ?? ""),
  ),
  ...files,
];

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

/**
 * `largePartTests` are whole files of which `npm test` runs a part: a large test may compare what
 * all of its file found. `furtherTests` have the files that it leaves out.
 */
export function largePartTests(): string[] {
  const further = new Set(listFurtherFiles());
  const files = filesWithLargeParts().filter((file) => !further.has(file));
  return ["--project", "unit", ...slowProjects, withoutVariants, ...files];
}

/**
 * The files of which `npm test` runs a part: those with large tests, and those that narrow widths
 * or databases by these names.
 */
export const narrowTests = (): string[] => [
  ...["--project", "unit", ...slowProjects],
  ...listFurtherFiles(),
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
