/**
 * The small mistakes to try in a source file, one at a time: a boundary off by one, a sign, a
 * condition that is always or never true, a missing statement. Types, imports and texts for readers
 * stay unchanged.
 */
import { parseAst } from "vitest/node";
import { sqlMutations } from "./mutate-sql.ts";

export interface Mutant {
  /** Offsets in the file, as for `slice`. */
  start: number;
  end: number;
  replacement: string;
  /** Starts at 1. */
  line: number;
  /** The old and the new code in one line: the mutant's name in the list of equivalents. */
  change: string;
}

/** A node of the parser; its members depend on `type`. */
export interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [member: string]: unknown;
}

export const parsed = (source: string): SyntaxNode =>
  parseAst(source, { lang: "ts" }) as unknown as SyntaxNode;

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof (value as SyntaxNode).type === "string";

/** The children that run: everything below a node except types and imports. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return Object.values(node)
    .flat()
    .filter(isNode)
    .filter(({ type }) => !type.startsWith("TS") || typesAround.has(type));
}

/** Type syntax around an expression that runs. */
const typesAround = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

export const lineOf = (source: string, at: number): number =>
  source.slice(0, at).split("\n").length;

const comparisons: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
};
const arithmetic: Readonly<Record<string, string>> = {
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "**": "*",
};
const assignments: Readonly<Record<string, string>> = { "+=": "-=", "-=": "+=", "*=": "/=" };
const logical: Readonly<Record<string, string>> = { "&&": "||", "||": "&&" };
const swappedCalls: Readonly<Record<string, readonly string[]>> = {
  min: ["max"],
  max: ["min"],
  floor: ["ceil", "round"],
  ceil: ["floor", "round"],
  round: ["floor", "ceil"],
  findLast: ["find"],
  findLastIndex: ["findIndex"],
  every: ["some"],
  some: ["every"],
};
/**
 * Methods that can be dropped without a change of type: then something is not filtered, sorted,
 * escaped or limited.
 */
const droppableCalls = new Set([
  ...[
    "filter",
    "sort",
    "slice",
    "trim",
    "replace",
    "replaceAll",
    "padStart",
    "toWellFormed",
    "finally",
  ],
  ...["where", "limit", "orderBy", "innerJoin", "$if"],
]);

type SourceEdit = [start: number, end: number, replacement: string];

/** Every mutant of a source file, in the order of the file. Each parses. */
export function mutantsOf(source: string): Mutant[] {
  const edits: SourceEdit[] = [];
  visit(parsed(source), undefined, source, edits);
  const known = new Set<string>();
  return edits
    .filter(([start, end, replacement]) => {
      const text = applied(source, { start, end, replacement });
      const isNew = text !== source && !known.has(text) && canBeRead(text);
      known.add(text);
      return isNew;
    })
    .map(([start, end, replacement]) => ({
      start,
      end,
      replacement,
      line: lineOf(source, start),
      change: changeOf(source, start, end, replacement),
    }))
    .sort((a, b) => a.start - b.start || a.end - b.end);
}

export const applied = (
  source: string,
  { start, end, replacement }: Omit<Mutant, "line" | "change">,
): string => source.slice(0, start) + replacement + source.slice(end);

const canBeRead = (text: string): boolean => {
  try {
    parsed(text);
    return true;
  } catch {
    return false;
  }
};

const shownAround = 60;

/** The line of a change, with the old and the new code. */
function changeOf(source: string, start: number, end: number, replacement: string): string {
  const from = Math.max(source.lastIndexOf("\n", start - 1) + 1, start - shownAround);
  const lineEnd = source.indexOf("\n", end);
  const to = Math.min(lineEnd < 0 ? source.length : lineEnd, end + shownAround);
  const change = `[${source.slice(start, end)} => ${replacement}]`;
  return `${source.slice(from, start)}${change}${source.slice(end, to)}`
    .replace(/\s+/g, " ")
    .trim();
}

function visit(
  node: SyntaxNode,
  parent: SyntaxNode | undefined,
  source: string,
  edits: SourceEdit[],
): void {
  if (node.type === "ImportDeclaration") return;
  edits.push(...editsOf(node, parent, source));
  for (const child of childrenOf(node)) visit(child, node, source, edits);
}

const textOf = (source: string, node: SyntaxNode): string => source.slice(node.start, node.end);

function editsOf(node: SyntaxNode, parent: SyntaxNode | undefined, source: string): SourceEdit[] {
  const whole = (replacement: string): SourceEdit => [node.start, node.end, replacement];
  const part = (name: string): SyntaxNode => node[name] as SyntaxNode;
  const text = (name: string): string => textOf(source, part(name));
  const operator = String(node.operator);
  /** Changes the operator alone, so that a change inside an operand is another mutant. */
  const withOperator = (left: SyntaxNode, right: SyntaxNode, replacement: string): SourceEdit => {
    const at = source.indexOf(operator, left.end);
    return [at, at + operator.length, at < right.start ? replacement : operator];
  };
  switch (node.type) {
    case "BinaryExpression": {
      const [left, right] = [part("left"), part("right")];
      if (isText(left) || isText(right))
        return isTestOf(node, parent)
          ? []
          : comparesOf(operator).map((other) => withOperator(left, right, other));
      const compared = isTestOf(node, parent) ? boundariesOf(operator) : comparesOf(operator);
      const others = [...compared, ...(arithmetic[operator] ? [arithmetic[operator]] : [])];
      return others.map((other) => withOperator(left, right, other));
    }
    case "AssignmentExpression": {
      const other = assignments[operator];
      return other === undefined ? [] : [withOperator(part("left"), part("right"), other)];
    }
    case "LogicalExpression": {
      if (operator === "??") return [whole(text("left")), whole(`(${text("right")})`)];
      const other = logical[operator];
      return other === undefined
        ? []
        : [withOperator(part("left"), part("right"), other), ...bothWays(node, parent)];
    }
    case "UnaryExpression":
      if (operator === "!" && isTestOf(node, parent)) return [];
      return operator === "!" || operator === "-" ? [whole(text("argument"))] : [];
    case "IfStatement":
    case "ConditionalExpression":
      return sides(part("test"));
    case "ForStatement":
      return isNode(node.test) ? [[node.test.start, node.test.end, "false"]] : [];
    case "ForOfStatement":
      return [[part("right").start, part("right").end, "[]"]];
    case "SwitchCase": {
      const body = node.consequent as SyntaxNode[];
      const [first, last] = [body[0], body.at(-1)];
      return first && last && isNode(node.test) ? [[node.start, last.end, ""]] : [];
    }
    case "ExpressionStatement":
    case "ThrowStatement":
    case "BreakStatement":
    case "ContinueStatement":
      return isAloneInIf(parent) ? [] : [whole(";")];
    case "ReturnStatement":
      return isNode(node.argument) && !isAloneInIf(parent) ? [whole("return undefined;")] : [];
    case "Literal":
      return [
        ...literals(node, parent).map(whole),
        ...(typeof node.value === "string" ? inSql(node, source) : []),
      ];
    case "TemplateElement":
      return inSql(node, source);
    case "ArrowFunctionExpression":
      return isCondition(part("body")) ? sides(part("body")) : [];
    case "MemberExpression":
      return node.optional === true
        ? [[part("object").end, part("property").start, node.computed ? "[" : "."]]
        : [];
    case "CallExpression":
      return calls(node, source);
    default:
      return [];
  }
}

/** `if (…) statement` without the statement is the same as with a condition that never holds. */
const isAloneInIf = (parent: SyntaxNode | undefined): boolean =>
  parent?.type === "IfStatement" && !isNode(parent.alternate);

/** A test that notices a condition that is always or never true also notices its negation. */
const isTestOf = (node: SyntaxNode, parent: SyntaxNode | undefined): boolean =>
  parent !== undefined &&
  (parent.test === node || (parent.type === "ArrowFunctionExpression" && parent.body === node));

const comparesOf = (operator: string): readonly string[] => comparisons[operator] ?? [];

/** `boundariesOf` gives all but the last, which is the opposite. */
const boundariesOf = (operator: string): readonly string[] => comparesOf(operator).slice(0, -1);

const isText = (node: SyntaxNode): boolean =>
  node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");

const isCondition = (node: SyntaxNode): boolean =>
  node.type === "LogicalExpression"
    ? node.operator !== "??"
    : node.type === "BinaryExpression" && String(node.operator) in comparisons;

/** A condition that is always true, and one that never is. */
const sides = ({ start, end }: SyntaxNode): SourceEdit[] => [
  [start, end, "true"],
  [start, end, "false"],
];

/** `bothWays` gives one side of `&&` and `||` alone, where it is a condition and not a value. */
function bothWays(node: SyntaxNode, parent: SyntaxNode | undefined): SourceEdit[] {
  const [left, right] = [node.left as SyntaxNode, node.right as SyntaxNode];
  const neutral = String(node.operator === "&&");
  const isValue = parent?.type === "SpreadElement" || !isDeciding(right);
  return [
    [left.start, left.end, neutral],
    ...(isValue ? [] : [[right.start, right.end, neutral] as SourceEdit]),
  ];
}

const isDeciding = (node: SyntaxNode): boolean =>
  node.type === "BinaryExpression" ||
  node.type === "LogicalExpression" ||
  node.type === "UnaryExpression";

const inSql = (node: SyntaxNode, source: string): SourceEdit[] =>
  sqlMutations(textOf(source, node)).map(({ at, length, other }) => [
    node.start + at,
    node.start + at + length,
    other,
  ]);

function literals(node: SyntaxNode, parent: SyntaxNode | undefined): string[] {
  const { value } = node;
  if (typeof value === "boolean") return [String(!value)];
  if (typeof node.bigint === "string")
    return integersBeside(BigInt(node.bigint)).map((other) => `${other}n`);
  if (typeof value === "number")
    return Number.isSafeInteger(value)
      ? integersBeside(BigInt(value)).map(String)
      : [String(value * 2), String(value / 2)];
  if (typeof value !== "string" || parent?.type === "ImportDeclaration") return [];
  if (value in comparisons || value === "=")
    return (comparisons[value] ?? ["!="]).map((other) => JSON.stringify(other));
  return [];
}

/** `integersBeside` gives one more, and one less unless that is negative. */
const integersBeside = (value: bigint): bigint[] =>
  value > 0n ? [value + 1n, value - 1n] : [value + 1n];

function calls(node: SyntaxNode, source: string): SourceEdit[] {
  const callee = node.callee as SyntaxNode;
  if (callee.type !== "MemberExpression") return [];
  const [object, property] = [callee.object as SyntaxNode, callee.property as SyntaxNode];
  const name = textOf(source, property);
  const others = Object.hasOwn(swappedCalls, name) ? (swappedCalls[name] ?? []) : [];
  const swaps = others.map((other): SourceEdit => [property.start, property.end, other]);
  return droppableCalls.has(name) ? [...swaps, [object.end, node.end, ""]] : swaps;
}
