/** Values and claims of any form, made from a seeded source, that name nobody and no group. */
export type Random = () => number;
export type TokenMembers = Record<string, unknown>;

export const one = <Choice>(random: Random, choices: readonly Choice[]): Choice =>
  choices[Math.floor(random() * choices.length)] as Choice;

export const oddTexts = [
  "",
  " ",
  "null",
  "../../etc/passwd",
  "' or 1=1 --",
  "\u0000",
  "x".repeat(10_000),
  "ünïcode/雪",
];

const claimNames = [
  ...[
    "sub",
    "email",
    "email_verified",
    "preferred_username",
    "name",
    "groups",
    "realm",
    "roles",
    "realm.roles",
  ],
  ...[
    "https://example.com/roles",
    "amr",
    "acr",
    "hasgroups",
    "_claim_names",
    "__proto__",
    "constructor",
    "toString",
  ],
];

export function oddValue(random: Random, depth: number): unknown {
  const kind = Math.floor(random() * (depth > 0 ? 8 : 6));
  if (kind === 6)
    return Array.from({ length: Math.floor(random() * 4) }, () => oddValue(random, depth - 1));
  if (kind === 7) return oddRecord(random, depth - 1);
  return [
    null,
    random() < 0.5,
    random() * 1e9,
    one(random, oddTexts),
    "person@example.com",
    "staff member",
  ][kind];
}

export function oddRecord(random: Random, depth: number): TokenMembers {
  const members = Array.from({ length: 1 + Math.floor(random() * 6) }, () => [
    one(random, claimNames),
    oddValue(random, depth),
  ]);
  // As a parser of JSON makes it: `__proto__` is a member like any other.
  return JSON.parse(
    `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`,
  ) as TokenMembers;
}
