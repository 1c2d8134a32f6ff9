/** What `npm test` leaves out, as arguments of `vitest run`: variants, and the short forms of the large runs. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { variantsOnly, variantTag } from "./variant-tag.ts";

const root = join(import.meta.dirname, "..");
const slowProjects = ["journeys", "database", "api"].flatMap((project) => ["--project", project]);

/** They fetch an identity server and libraries from PyPI; `npm run trust -- identity` holds them. */
const identityOfPython = "tests/src/identity/**";
/** They build and install programs of other makers, which takes minutes and a connection. */
const judgeTests = "tests/src/judges/**";
/** A third of the time of all large runs. */
const screensInOddStates = "**/{odd-replies,screen-states,text-injections,rich-text-injections}.large.test.ts";

const slowTestFiles = (pattern: RegExp): string[] =>
  globSync("{gateway,tests}/src/**/*.{journey,db,api}.test.ts", { cwd: root }).filter((file) =>
    pattern.test(readFileSync(join(root, file), "utf8")),
  );

export const variantTests = (): string[] => [
  ...slowProjects,
  variantsOnly,
  ...slowTestFiles(new RegExp(`"${variantTag.name}"|\\b(?:describe|test)Variants\\b`)),
];

/** The files of which `npm test` runs a part, by the names that narrow them. */
export const narrowTests = (): string[] => [
  ...slowProjects,
  ...slowTestFiles(/\b(?:inspectScreen|ruleDatabases|ruleDatabaseKinds)\b/),
];

/** `isQuick` leaves out what takes longest; CI has no time for it. */
export const shortLargeTests = (isQuick: boolean): string[] => [
  ...["--project", "large"],
  ...[identityOfPython, judgeTests, ...(isQuick ? [screensInOddStates] : [])].flatMap((files) => ["--exclude", files]),
];

/** The variables with which the short forms of the large runs take every width and database. */
export const everyWidthAndDatabase = { INSPECTION: "full", DATABASES: "all" };
