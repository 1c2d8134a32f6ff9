// `npm run structure`: measures the structure of the code and prints it, or writes it as a page.
import { writeFileSync } from "node:fs";
import { findWrongArrows } from "./arrows.ts";
import {
  beginsWithVerb,
  endsInPreposition,
  type LanguageMeasures,
  measureLanguage,
  opensAsRiddle,
} from "./measure-language.ts";
import { measureSource, percentile, type SourceMeasures } from "./measure-source.ts";
import { readScriptOptions } from "./script-options.ts";
import { readSourceFiles } from "./source-files.ts";
import { findNameClashes } from "./unique-names.ts";
import { findWideTypes } from "./wide-types.ts";

const { values } = readScriptOptions({
  command: "npm run structure",
  summary: "measures the structure of the code, and prints it",
  options: {
    to: { type: "string", default: "", value: "FILE", help: "also writes it there as a page" },
  },
});
const sources = readSourceFiles();
const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file) || file.startsWith("tests/");
const isExcluded = (file: string): boolean => /\/migrations\/|\/locales\/|\.d\.ts$/.test(file);
const production = [...sources].filter(([file]) => !isTest(file) && !isExcluded(file));

const areas: Record<string, (file: string) => boolean> = {
  gateway: (file) => file.startsWith("gateway/"),
  relay: (file) => file.startsWith("gateway/src/relay/"),
  console: (file) => file.startsWith("console/"),
  contract: (file) => file.startsWith("contract/"),
  simulator: (file) => file.startsWith("simulator/"),
  scripts: (file) => file.startsWith("scripts/"),
  benchmarks: (file) => file.startsWith("benchmarks/"),
  all: () => true,
};

const columns = Object.entries(areas).map(([name, isIn]) => {
  const measured = production
    .filter(([file]) => isIn(file))
    .map(([file, source]) => measureSource(file, source));
  return { name, measured };
});

const rows: [string, (measured: readonly SourceMeasures[]) => string | number][] = [
  ["Files", (measured) => measured.length],
  ["Lines", (measured) => sum(measured.map(({ lines }) => lines))],
  [
    "Median file",
    (measured) =>
      percentile(
        measured.map(({ lines }) => lines),
        0.5,
      ),
  ],
  [
    "p95 file",
    (measured) =>
      percentile(
        measured.map(({ lines }) => lines),
        0.95,
      ),
  ],
  ["Largest file", (measured) => Math.max(...measured.map(({ lines }) => lines))],
  ["Files above 300 lines", (measured) => measured.filter(({ lines }) => lines > 300).length],
  [
    "Median function",
    (measured) =>
      percentile(
        measured.flatMap(({ functions }) => functions),
        0.5,
      ),
  ],
  [
    "p95 function",
    (measured) =>
      percentile(
        measured.flatMap(({ functions }) => functions),
        0.95,
      ),
  ],
  [
    "Functions above 70 lines",
    (measured) =>
      share(
        measured.flatMap(({ functions }) => functions),
        (lines) => lines > 70,
      ),
  ],
  [
    "Comment lines",
    (measured) =>
      percent(
        sum(measured.map(({ comments }) => comments)),
        sum(measured.map(({ lines }) => lines)),
      ),
  ],
  ["`any`", (measured) => sum(measured.map(({ anys }) => anys))],
  [
    "Files with more than 12 imports",
    (measured) => measured.filter(({ imports }) => imports > 12).length,
  ],
];

const table = [
  `| | ${columns.map(({ name }) => name).join(" | ")} |`,
  `|---|${columns.map(() => "---").join("|")}|`,
  ...rows.map(
    ([label, value]) =>
      `| ${label} | ${columns.map(({ measured }) => value(measured)).join(" | ")} |`,
  ),
];

const testLines = sum(
  [...sources].filter(([file]) => isTest(file)).map(([, source]) => source.split("\n").length),
);
const sourceLines = sum(production.map(([, source]) => source.split("\n").length));
const isProduct = (file: string): boolean => /^(contract|gateway|console)\//.test(file);
const naming = production
  .filter(([file, source]) => isProduct(file) && /\brpm_?limit/i.test(source))
  .map(([file]) => file);
const circles = findWrongArrows(sources).filter(({ message }) => message.includes("circle")).length;
const language = production
  .filter(([file]) => isProduct(file))
  .map(([file, source]) => measureLanguage(file, source));
const ofLanguage = <Value>(read: (measures: LanguageMeasures) => readonly Value[]): Value[] =>
  language.flatMap(read);
const names = ofLanguage((measures) => measures.names);
const openings = ofLanguage((measures) => measures.openings);
// Loads the whole gateway, which a question for help does without.
const { touchedByStreamedCall } = await import("./call-coverage.ts");
const touched = await touchedByStreamedCall();
const wide = findWideTypes(production, (file) => file.startsWith("gateway/src/relay/"));

const text = `# Structure of the code

Written by \`npm run structure\`. Production code is every source file but tests, migrations and catalogues; lines are
physical lines.

${table.join("\n")}

| Question | Answer | Goal |
|---|---|---|
| Names of files or types that two files declare | ${findNameClashes(sources).length} | 0 |
| Circles of imports between files, types included, or of values between folders of the gateway | ${circles} | 0 |
| Test lines to a line of production code | ${(testLines / sourceLines).toFixed(2)} | |
| Functions whose name begins with a verb, of ${names.length}; components, hooks and claims apart | ${share(names, beginsWithVerb)} | at least 75 % |
| Functions whose name ends in a preposition | ${share(names, endsInPreposition)} | at most 3 % |
| Documenting comments whose first word does not say what they are about, of ${openings.length} | ${share(openings, opensAsRiddle)} | at most 5 % |
| Lines above 100 columns | ${percent(sum(language.map(({ longLines }) => longLines)), sum(language.map(({ lines }) => lines)))} | at most 2 % |
| Production files that name a column of a token, \`rpm_limit\` | ${naming.length} | at most 6 |
| Types of the relay with more than 12 members that more than 5 files import | ${wide.length} | 0 |
| Files whose functions run in one streamed chat call, same dialect, warm, on the main thread | ${touched.files.length} | at most 65 |
| Functions that run in it | ${touched.functions} | at most 330 |

## A column of a token

${naming.map((file) => `- \`${file}\``).join("\n")}

## Wide types of the relay

| Type | Members | Files that import it |
|---|---|---|
${wide.map(({ name, members, importers }) => `| \`${name}\` | ${members} | ${importers} |`).join("\n")}

## A streamed chat call

${touched.files.map((file) => `- \`${file}\``).join("\n")}
`;
console.log(text);
if (values.to !== "") writeFileSync(values.to, text);

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function percent(part: number, whole: number): string {
  return `${((part / whole) * 100).toFixed(1)} %`;
}

function share<Value>(values: readonly Value[], isCounted: (value: Value) => boolean): string {
  return percent(values.filter(isCounted).length, values.length);
}
