// Size measures of one source file, read by a parser.
import { parseSync, Visitor } from "vite";

export interface SourceMeasures {
  lines: number;
  /** Lines that hold nothing but a comment. */
  comments: number;
  /** Lines of each function, method and arrow function. */
  functions: number[];
  anys: number;
  imports: number;
}

export function measureSource(file: string, source: string): SourceMeasures {
  const { program, comments, module } = parseSync(file, source);
  const lineAt = (offset: number): number => source.slice(0, offset).split("\n").length;
  const functions: number[] = [];
  let anys = 0;
  const add = ({ start, end }: { start: number; end: number }): void => {
    functions.push(lineAt(end) - lineAt(start) + 1);
  };
  new Visitor({
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: add,
    TSAnyKeyword: () => {
      anys += 1;
    },
  }).visit(program);
  const commentLines = comments.filter(({ start }) => /(^|\n)[ \t]*$/.test(source.slice(0, start)));
  return {
    lines: source.split("\n").length - 1,
    comments: commentLines.reduce(
      (total, { start, end }) => total + lineAt(end) - lineAt(start) + 1,
      0,
    ),
    functions,
    anys,
    imports: module.staticImports.length,
  };
}

/** The value below which `share` of the values lie; 0 of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
