// Counters of budgets, summed for a transaction, against the same commands one by one, each in a
// transaction of its own.
import { DatabaseSync } from "node:sqlite";
import { logRow } from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { HeldBudget, HoldCommand } from "./money-commands.ts";
import { readSqliteFile } from "./open-database.ts";
import { packLog } from "./packed-log.ts";
import { createSqliteBudgetCounters } from "./sqlite-budget-counters.ts";
import { createSqliteMoney, type SqliteMoney } from "./sqlite-money.ts";
import type { MoneyWork } from "./sqlite-protocol.ts";

const start = 1_000;
const budgets: readonly HeldBudget[] = [
  { id: 1, start, end: 2_000, max: 60, target: null },
  { id: 1, start: 2_000, end: 3_000, max: 60, target: null },
  { id: 2, start, end: null, max: 90, target: null },
  { id: 3, start, end: 2_000, max: null, target: null },
  { id: 4, start, end: 2_000, max: 100, target: "served" },
];
const poolId = 1_000_000;

let storages: TestDatabase[];
let files: DatabaseSync[];
beforeEach(async () => {
  const sqlite = testDatabases.find(({ name }) => name === "sqlite");
  if (!sqlite) throw new Error("SQLite is always there");
  storages = await Promise.all([sqlite.open(), sqlite.open()]);
  files = storages.map(({ config }) => new DatabaseSync(readSqliteFile(config.dataDir)));
});
afterEach(async () => {
  for (const file of files) file.close();
  for (const storage of storages) await storage.close();
});

const account = { userId: 1, walletId: 1, tokenIds: [1], channelId: 1 };
const holdOf = (
  id: number,
  amount: number,
  least: number,
  named: readonly HeldBudget[],
): HoldCommand => ({
  ...{
    verb: "hold",
    id,
    walletId: 1,
    userId: 1,
    tokenId: 1,
    amount,
    least,
    tokenIsUnlimited: true,
  },
  ...{ leaseUntil: 1, snapshot: "{}", budgets: named },
});
const settleOf = (id: number, charge: number, more: object = {}): MoneyWork => ({
  ...{ verb: "settle", id, charge, log: packLog(logRow(account, id)), trace: "{}", ...more },
});

const units = fc.integer({ min: 0, max: 40 });
const step = fc.record({
  verb: fc.constantFrom(
    "hold",
    "hold",
    "hold",
    "settle",
    "settle",
    "release",
    "top_up",
    "share",
    "leave",
    "shrink",
  ),
  names: fc.subarray([0, 1, 2, 3, 4]),
  slot: fc.nat({ max: 5 }),
  amount: units,
  least: units,
  target: fc.constantFrom(undefined, "served", "other"),
});

type TravellingStep = typeof step extends fc.Arbitrary<infer Step> ? Step : never;

/** Slots are calls that were held, the latest first, whether or not they were. */
function workOf(
  { verb, names, slot, amount, least, target }: TravellingStep,
  at: number,
): MoneyWork {
  const id = Math.max(1, at - slot);
  const pool = { id: poolId, amount };
  switch (verb) {
    case "hold":
      return holdOf(
        at,
        amount,
        Math.min(least, amount),
        names.flatMap((index) => budgets[index] ?? []),
      );
    case "settle":
      return settleOf(id, amount, { target });
    case "release":
      return { verb, id };
    case "top_up":
      return { verb: "top_up_hold", id, amount };
    case "share":
      return settleOf(5_000 + at, least, { target, pool });
    case "leave":
      return { verb: "leave_pool", id: at, pool, leaseUntil: 1, snapshot: "{}" };
    default:
      return { verb: "shrink_pool", id: poolId, amount, paymentId: 7_000 + at };
  }
}

const tables = ["wallets", "tokens", "reservations", "ledger", "logs"];
const stateOf = (file: DatabaseSync) => [
  ...tables.map((table) => {
    const rows = file.prepare(`select * from ${table} order by 1`).all();
    return rows.map(({ created_at: _, accessed_at: __, ...row }) => row);
  }),
  // One that came to nothing may have no row.
  file.prepare("select * from budget_counters where spent <> 0 or held <> 0 order by 1, 2").all(),
];

test("in one transaction, commands get the answers and leave the rows that they do one by one", () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 60, max: 400 }),
      (steps, balance) => {
        const [together, apart] = files.map((file): SqliteMoney => {
          for (const table of [...tables, "traces", "budget_counters"])
            file.exec(`delete from ${table}`);
          file.exec(
            `insert into wallets (id, uuid, balance, created_at) values (1, 'one', ${balance}, 1)`,
          );
          const money = createSqliteMoney(file, 0);
          // A pool of the first and the last budget.
          money.run(
            holdOf(
              poolId,
              50,
              50,
              [0, 4].flatMap((index) => budgets[index] ?? []),
            ),
          );
          money.flush();
          return money;
        });
        const [first, second] = files;
        if (!together || !apart || !first || !second) throw new Error("there are two files");
        const all = steps.map((one, index) => workOf(one, index + 1));
        // A share that its pool does not hold is a fault of the caller, which undoes the
        // transaction.
        const attempt = (money: SqliteMoney, file: DatabaseSync, works: readonly MoneyWork[]) => {
          file.exec("begin immediate");
          try {
            const answers = works.map((work) => money.run(work));
            money.flush();
            file.exec("commit");
            return answers;
          } catch (error) {
            money.discard();
            file.exec("rollback");
            return (error as Error).message;
          }
        };
        const sound: MoneyWork[] = [];
        const expected = all.flatMap((work) => {
          const answers = attempt(apart, second, [work]);
          if (typeof answers === "string") return [];
          sound.push(work);
          return answers;
        });
        expect(attempt(together, first, sound)).toEqual(expected);
        expect(stateOf(first)).toEqual(stateOf(second));
        const counters = first.prepare("select * from budget_counters").all();
        for (const { held } of counters) expect(held).toBeGreaterThanOrEqual(0);
      },
    ),
    { numRuns: 150 },
  );
});

test("what was rolled back is neither written nor remembered, and each counter is written once", () => {
  const [file] = files;
  if (!file) throw new Error("there is a file");
  const [first] = budgets;
  if (!first) throw new Error("there is a budget");
  const counters = createSqliteBudgetCounters(file);
  const stored = () => file.prepare("select spent, held from budget_counters").all();
  file.exec("begin immediate");
  expect(counters.hold([first], 60)).toBeUndefined();
  expect(counters.hold([first], 1)).toBe(first);
  counters.discard();
  file.exec("rollback");
  expect(counters.unspentOf(first)).toEqual([60]);
  for (let call = 0; call < 6; call += 1) expect(counters.hold([first], 10)).toBeUndefined();
  expect([stored(), counters.unspentOf(first)]).toEqual([[], [0]]);
  const before = file.prepare("select total_changes() as n").get()?.n as number;
  counters.flush();
  expect(file.prepare("select total_changes() as n").get()?.n).toBe(before + 1);
  counters.end({ budgets: JSON.stringify([first]), amount: 30, charge: 12, target: undefined });
  expect(counters.hold([first], 19)).toBe(first);
  expect(counters.hold([first], 18)).toBeUndefined();
  counters.flush();
  expect(stored()).toEqual([{ spent: 12, held: 48 }]);
});

test("a budget that refuses nothing bounds nothing, and a call without budgets or without units counts for none", () => {
  const [file] = files;
  const [first] = budgets;
  const soft = budgets.find(({ max }) => max === null);
  if (!file || !first || !soft) throw new Error("there is a file, and budgets of both kinds");
  const counters = createSqliteBudgetCounters(file);
  expect(counters.hold([soft], 40)).toBeUndefined();
  expect(counters.unspentOf(soft)).toEqual([]);
  counters.end({ budgets: null, amount: 9, charge: 9, target: undefined });
  expect(counters.hold([first], 7)).toBeUndefined();
  counters.end({ budgets: JSON.stringify([first]), amount: 7, charge: 0, target: undefined });
  counters.flush();
  expect(file.prepare("select * from budget_counters").all()).toEqual([]);
  file.exec("insert into wallets (id, uuid, balance, created_at) values (1, 'poor', 30, 1)");
  // Fewer units than wanted, and as many as the wallet has.
  expect(createSqliteMoney(file, 0).run(holdOf(1, 50, 5, [soft]))).toBe(30);
});

test("more lists of budgets than are remembered are counted alike", () => {
  const [file] = files;
  const [first] = budgets;
  if (!file || !first) throw new Error("there is a file and a budget");
  const counters = createSqliteBudgetCounters(file);
  const lists = Array.from({ length: 250 }, (_, n) => JSON.stringify([{ ...first, id: n + 1 }]));
  for (const list of [...lists, ...lists])
    counters.end({ budgets: list, amount: 0, charge: 1, target: undefined });
  counters.flush();
  const rows = file
    .prepare("select spent, count(*) as budgets from budget_counters group by spent")
    .all();
  expect(rows).toEqual([{ spent: 2, budgets: 250 }]);
});
