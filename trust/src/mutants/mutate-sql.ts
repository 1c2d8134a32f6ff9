/** The same mistakes inside SQL statements in string literals and templates. */

const statement =
  /^["`\s(]*(select|insert|update|delete|coalesce|where|from|balance [+<>])|\b(from|where|set) /i;

const operators: readonly [pattern: RegExp, others: readonly string[]][] = [
  [/ >= /g, [" > ", " < "]],
  [/ <= /g, [" < ", " > "]],
  [/ <> /g, [" = "]],
  [/ > /g, [" >= "]],
  [/ < /g, [" <= "]],
  [/ \+ /g, [" - "]],
  [/ - /g, [" + "]],
  [/\bmax\(/g, ["min("]],
  [/\bmin\(/g, ["max("]],
  [/\bsum\(/g, ["max("]],
];
/** A comparison after `where`, `and` and `when`; with `or 1 = 1` it is always true and takes as many parameters. */
const condition =
  /\b(where|and|when) ((?:[\w.]+(?: [-+] (?:[\w.]+|\?\d?|\([^()]*\)))*) (?:=|>=|<=|>|<|<>) (?:\?\d?|'[^']*'|[\w.]+))/g;
const number = /(?<=(?:=|<=|>=|then|else|,|\() )\d+\b|(?<=(?:max|min)\()\d+\b|(?<=, )\d+(?=\))/g;

/** A part of a text, and its replacement. */
export interface SqlEdit {
  at: number;
  length: number;
  other: string;
}

/** The mistakes in `text`, one literal or one part of a template; none when it is not SQL. */
export function sqlMutations(text: string): SqlEdit[] {
  if (!statement.test(text)) return [];
  return [
    ...operators.flatMap(([pattern, others]) =>
      [...text.matchAll(pattern)].flatMap(({ index, 0: found }) =>
        others.map((other) => ({ at: index, length: found.length, other })),
      ),
    ),
    ...[...text.matchAll(condition)].map(({ index, 0: found, 1: word = "", 2: compared = "" }) => ({
      at: index,
      length: found.length,
      other: `${word} (${compared} or 1 = 1)`,
    })),
    ...[...text.matchAll(number)].map(({ index, 0: found }) => ({
      at: index,
      length: found.length,
      other: String(Number(found) + 1),
    })),
  ];
}
