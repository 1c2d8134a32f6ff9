// The sentences of the two specifications, and the tests that show them, read from text files.
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseSync, Visitor } from "vite";
import { repositoryDir } from "../harness/repository-dir.ts";

export type Sentence = {
  /** `number` is the letter of the specification and a place in it: A12. */
  number: string;
  section: string;
  /** A quotation, or what the sentence demands in few words. */
  text: string;
  /** The decisions that change what the sentence demands. */
  decisions: string[];
  shownBy: NamedTest[];
};

/** A test as the text files name it: a file without its ending, and the beginning of a title. */
export type NamedTest = { file: string; words: string };

/** `sentenceLine` is for example `A12 "Username is required" [12c, 37]`. */
const sentenceLine = /^([AB]\d+) (.*?)(?: \[([\da-z, ]+)\])?$/;

/** `readSentences` takes headings with `#`, sentences, and below each, indented, its tests. */
export function readSentences(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let section = "";
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [, number, demand, decisions = ""] = sentenceLine.exec(line) ?? [];
    const [, file, words] = /^ {2}([\w.-]+): (.+)$/.exec(line) ?? [];
    if (line.startsWith("# ")) section = line.slice(2);
    else if (number !== undefined && demand !== undefined)
      sentences.push({
        number,
        section,
        text: demand,
        decisions: decisions === "" ? [] : decisions.split(", "),
        shownBy: [],
      });
    else if (file !== undefined && words !== undefined)
      sentences.at(-1)?.shownBy.push({ file, words });
    else throw new Error(`no heading, sentence or test: ${line}`);
  }
  return sentences;
}

const readOwn = (name: string): Sentence[] =>
  readSentences(readFileSync(join(import.meta.dirname, name), "utf8"));

/** Specification A is about the shell and the account of the user, B about administration. */
export const specifications = [
  { letter: "A", about: "the shell of the console", sentences: readOwn("console-shell.txt") },
  { letter: "B", about: "administration", sentences: readOwn("console-admin.txt") },
];

const files = new Map(
  globSync("{contract,gateway,console,tests}/src/**/*.test.{ts,tsx}", { cwd: repositoryDir }).map(
    (path) => [basename(path).replace(/\.test\.tsx?$/, ""), path],
  ),
);
const titles = new Map<string, string[]>();

/** `findTest` is the path and the whole title of a test, or why there is no such test. */
export function findTest({ file, words }: NamedTest): { path: string; title: string } | string {
  const path = files.get(file);
  if (path === undefined) return `no file ${file}.test.ts`;
  const known =
    titles.get(path) ?? readTestTitles(path, readFileSync(join(repositoryDir, path), "utf8"));
  titles.set(path, known);
  const isWhole = known.includes(words);
  const [title, another] = known.filter(
    (one) => one === words || (!isWhole && one.startsWith(words)),
  );
  if (title === undefined) return `no test "${words}" in ${path}`;
  return another === undefined ? { path, title } : `several tests "${words}" in ${path}`;
}

/** `readTestTitles` reads them with their placeholders, and leaves out tests that are skipped. */
export function readTestTitles(path: string, source: string): string[] {
  const { program, errors } = parseSync(path, source);
  if (errors[0]) throw new Error(`${path} cannot be parsed: ${errors[0].message}`);
  const found = new Set<string>();
  const constants = new Map<string, string>();
  const note = (text: unknown) => typeof text === "string" && found.add(text);
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === "Identifier" && init?.type === "Literal" && typeof init.value === "string")
        constants.set(id.name, init.value);
    },
    CallExpression({ callee, arguments: [title] }) {
      const called = source.slice(callee.start, callee.end);
      if (!/^(?:test|describe)/.test(called) || /\.(?:skip|todo|fails)\b/.test(called)) return;
      if (title?.type === "Literal") note(title.value);
      if (title?.type === "Identifier") note(constants.get(title.name));
      if (title?.type === "TemplateLiteral") note(source.slice(title.start + 1, title.end - 1));
    },
  }).visit(program);
  return [...found];
}
