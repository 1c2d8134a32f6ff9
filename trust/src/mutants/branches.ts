/**
 * Branch coverage of a source file: the source with a note at every fork, and the branches that no
 * note names.
 */
import { readFileSync } from "node:fs";
import { childrenOf, isNode, lineOf, parsed, type SyntaxNode } from "./find-mutants.ts";

export interface SourceBranch {
  line: number;
  /** The code at the fork and the side: the branch's name in the list of unreachable branches. */
  name: string;
  /** The branch in the notes file. */
  note: string;
}

export interface InstrumentedSource {
  /**
   * Behaves like the source, and notes each side of a fork in a file when it is taken for the first
   * time.
   */
  text: string;
  branches: SourceBranch[];
}

interface SourceInsertion {
  at: number;
  text: string;
  /**
   * `rank` is at one position ends come before starts; of starts the outer comes first, of ends the
   * inner.
   */
  rank: [number, number];
}

/** `notes` is the path of the notes file. */
export function instrument(source: string, notes: string): InstrumentedSource {
  const branches: SourceBranch[] = [];
  const insertions: SourceInsertion[] = [];
  let forks = 0;

  function fork(node: SyntaxNode, sides: readonly string[]): number {
    forks += 1;
    const code = source.slice(node.start, node.end).replace(/\s+/g, " ").slice(0, 80);
    for (const side of sides)
      branches.push({
        line: lineOf(source, node.start),
        name: `${code}: ${side}`,
        note: `${forks} ${side}`,
      });
    return forks;
  }
  function wrap(node: SyntaxNode, note: string, sides: readonly string[]): void {
    const { start, end } = node;
    insertions.push({ at: start, text: `${note}(${fork(node, sides)}, `, rank: [1, -end] });
    insertions.push({ at: end, text: ")", rank: [0, -start] });
  }
  function look(node: SyntaxNode): void {
    if (node.type === "ImportDeclaration") return;
    if (isNode(node.test) && node.type !== "SwitchCase")
      wrap(node.test, "__either", ["holds", "does not hold"]);
    if (node.type === "SwitchCase") {
      const [first] = node.consequent as SyntaxNode[];
      const named = isNode(node.test) ? node.test : node;
      if (first)
        insertions.push({
          at: first.start,
          text: `__taken(${fork(named, ["is the case"])});`,
          rank: [1, -Infinity],
        });
    }
    if (node.type === "LogicalExpression") {
      const isAbsence = node.operator === "??";
      const sides = isAbsence ? ["is there", "is not there"] : ["holds", "does not hold"];
      wrap(node.left as SyntaxNode, isAbsence ? "__absent" : "__either", sides);
    }
    if (node.type === "MemberExpression" && node.optional === true)
      wrap(node.object as SyntaxNode, "__absent", ["is there", "is not there"]);
    if (node.type === "AssignmentPattern")
      wrap(node.right as SyntaxNode, "__taken", ["is taken as the default"]);
    for (const child of childrenOf(node)) look(child);
  }
  look(parsed(source));

  insertions.sort((a, b) => a.at - b.at || a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1]);
  let text = "";
  let from = 0;
  for (const { at, text: inserted } of insertions) {
    text += source.slice(from, at) + inserted;
    from = at;
  }
  return { text: preamble(notes) + text + source.slice(from), branches };
}

/** On the first line, so that line numbers stay the same. */
const preamble = (notes: string): string =>
  [
    `import { appendFileSync as __append } from "node:fs"; const __known = new Set<string>();`,
    `const __note = (note: string): void => { if (__known.has(note)) return; __known.add(note); __append(${JSON.stringify(notes)}, note + "\\n"); };`,
    `const __either = <T,>(fork: number, value: T): T => { __note(fork + (value ? " holds" : " does not hold")); return value; };`,
    `const __absent = <T,>(fork: number, value: T): T => { __note(fork + (value == null ? " is not there" : " is there")); return value; };`,
    `function __taken(fork: number): void; function __taken<T>(fork: number, value: T): T;`,
    `function __taken(...all: unknown[]): unknown { __note(all[0] + (all.length > 1 ? " is taken as the default" : " is the case")); return all[1]; }`,
    "",
  ].join(" ");

/** The branches that are missing from the notes. */
export function untaken({ branches }: InstrumentedSource, notes: string): SourceBranch[] {
  const taken = new Set(readFileSync(notes, "utf8").split("\n"));
  return branches.filter(({ note }) => !taken.has(note));
}
