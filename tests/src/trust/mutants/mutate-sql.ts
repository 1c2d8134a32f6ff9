/** The same mistakes in statements of SQL that stand in a text. */

const statement = /^["`\s(]*(select|insert|update|delete|coalesce|where|from|balance [+<>])|\b(from|where|set) /i;

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
/** What is compared behind `where`, `and` and `when`; with `or 1 = 1` it is always true and takes as many values. */
const condition =
  /\b(where|and|when) ((?:[\w.]+(?: [-+] (?:[\w.]+|\?\d?|\([^()]*\)))*) (?:=|>=|<=|>|<|<>) (?:\?\d?|'[^']*'|[\w.]+))/g;
const number = /(?<=(?:=|<=|>=|then|else|,|\() )\d+\b|(?<=(?:max|min)\()\d+\b|(?<=, )\d+(?=\))/g;

/** What stands at a place of a text, and what may stand there instead. */
export interface SqlEdit {
  at: number;
  length: number;
  other: string;
}

/** The mistakes in `text`, which is one literal or one part of a template; none when it is no SQL. */
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
