import { expect, test } from "vitest";
import { buildStatement, formatStatementCsv } from "./statement-rules.ts";
import type { MemberModelSums, StatementMove } from "./statement-store.ts";

const move = (
  kind: string,
  direction: StatementMove["direction"],
  quota: number,
  changes: Partial<StatementMove> = {},
): StatementMove => ({ kind, direction, quota, entries: 1, is_before: 0, ...changes });
const call = (user_id: number, model_name: string, quota: number): MemberModelSums => ({
  ...{ user_id, username: user_id === 0 ? null : `user${user_id}`, model_name, quota },
  ...{ requests: 1, failures: 0, prompt_tokens: 5, cached_prompt_tokens: 2 },
  completion_tokens: 3,
});
const key = (id: number, name: string, quota: number) => ({
  ...{ id, name, owner: "user1", quota, requests: 1, failures: 0 },
  ...{ prompt_tokens: 5, cached_prompt_tokens: 2, completion_tokens: 3 },
});
const facts = {
  ...{ month: "2026-11", isFinished: true, spentBefore: 30 },
  moves: [
    move("grant", "in", 100, { is_before: 1 }),
    move("transfer", "out", 20, { is_before: 1 }),
    move("transfer", "in", 500, { entries: 2 }),
    move("transfer", "out", 40),
    move("debt_waiver", "in", 3),
    move("shortfall", "in", 4),
  ],
  calls: [call(1, "small", 7), call(1, "large", 60), call(0, "small", 11)],
  keys: [key(3, "mine", 67)],
};

test("opening and received less given and spent is closing, and members, keys and models each add up to spent", () => {
  const statement = buildStatement(facts);
  expect(statement).toMatchObject({
    ...{ opening_balance: 50, spent: 78, closing_balance: 50 + 507 - 40 - 78 },
    received: [
      { kind: "transfer", entries: 2, quota: 500 },
      { kind: "waiver", entries: 2, quota: 7 },
    ],
    given: [{ kind: "transfer", entries: 1, quota: 40 }],
  });
  const shown = (rows: readonly { id: number; name: string; quota: number }[]) =>
    rows.map(({ id, name, quota }) => [id, name, quota]);
  expect(shown(statement.members)).toEqual([
    [1, "user1", 67],
    [0, "", 11],
  ]);
  expect(shown(statement.models)).toEqual([
    [0, "large", 60],
    [0, "small", 18],
  ]);
  // The calls of keys that were deleted.
  expect(shown(statement.keys)).toEqual([
    [3, "mine", 67],
    [0, "", 11],
  ]);
});

test("a month without calls or moves carries its balance on", () => {
  const quiet = { ...facts, moves: facts.moves.slice(0, 2), calls: [], keys: [] };
  expect(buildStatement(quiet)).toMatchObject({
    ...{ opening_balance: 50, received: [], given: [], spent: 0, closing_balance: 50 },
    ...{ members: [], keys: [], models: [] },
  });
});

test("an entry that no line shows is an error and no statement that does not agree", () => {
  const moves = [move("opening_use", "out", 1)];
  expect(() => buildStatement({ ...facts, moves })).toThrow("opening_use");
});

test("the CSV has signed sums in units and exact dollars, and no cell that a spreadsheet would run", () => {
  const [head, ...lines] = formatStatementCsv(
    buildStatement({ ...facts, keys: [key(3, "=1+1", 67)] }),
  ).split("\r\n");
  expect(head).toBe("\ufeffMonth,Part,Name,Owner,Count,Quota,US Dollars");
  expect(lines.slice(0, 6)).toEqual([
    "2026-11,opening balance,,,,50,0.000100",
    "2026-11,received,transfer,,2,500,0.001000",
    "2026-11,received,waiver,,2,7,0.000014",
    "2026-11,given,transfer,,1,-40,-0.000080",
    "2026-11,spent,,,,-78,-0.000156",
    "2026-11,closing balance,,,,439,0.000878",
  ]);
  expect(lines).toContain("2026-11,spent by member,(services),,1,11,0.000022");
  expect(lines).toContain("2026-11,spent by key,'=1+1,user1,1,67,0.000134");
});
