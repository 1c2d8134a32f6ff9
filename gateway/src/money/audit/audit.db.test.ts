import { setTimeout as pause } from "node:timers/promises";
import { largeOn } from "@tollgate/tests/support/large-tests.ts";
import {
  createTestAccount,
  foldRollups,
  holdOf,
  logRow,
  settleOf,
  type TestAccount,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { BudgetColumns } from "../../accounts/budgets/budget-store.ts";
import type { Database } from "../../storage/database.ts";
import type { HeldBudget } from "../../storage/money-commands.ts";
import { EPOCH_MS, idsPerMs } from "../../storage/time-ids.ts";
import { type AuditFinding, auditBooks } from "./audit.ts";
import { auditInSteps, bookBeginning } from "./audit-in-steps.ts";

/**
 * `auditedInSteps` gives all steps of an audit; `aheadMs` makes of the calls so far the settled
 * past.
 */
async function auditedInSteps(db: Database, aheadMs: number): Promise<readonly AuditFinding[]> {
  const audit = auditInSteps(db, () => Date.now() + aheadMs, bookBeginning);
  let step = await audit.next();
  while (!step.done) step = await audit.next();
  return step.value;
}

/**
 * What the audit in one statement finds, which the audit in steps must find as well, of young calls
 * and of old ones.
 */
async function everyAudit(db: Database): Promise<AuditFinding[]> {
  const findings = await auditBooks(db);
  for (const aheadMs of [0, hourMs]) expect(await auditedInSteps(db, aheadMs)).toEqual(findings);
  return findings;
}

const hourMs = 3_600_000;

/** A budget that was made long ago, in a window of two hours around `at`. */
async function budgetOf(
  db: Database,
  changes: Partial<BudgetColumns>,
  at = Date.now(),
): Promise<HeldBudget> {
  const row: BudgetColumns = {
    ...{
      uuid: "b",
      name: "b",
      subject: "site",
      subject_id: 0,
      model_name: "",
      tag: "",
      window: "hour",
    },
    ...{
      first_day: 1,
      zone: "UTC",
      amount: 1_000,
      hard: 1,
      thresholds: "",
      enabled: 1,
      by_owner: 0,
    },
    ...{ on_reached: "refuse", counts_from: 0, created_at: 0, updated_at: 0 },
    ...changes,
  };
  const [made] = await db.write([
    { query: db.sql.insertInto("budgets").values(row).returning("id") },
  ]);
  const [{ id } = { id: 0 }] = (made?.rows ?? []) as { id: number }[];
  return { id, start: at - hourMs, end: at + hourMs, max: 1_000, target: null };
}

describe.each(testDatabases)("the audit on $name", (database) => {
  // A row of PostgreSQL costs a database; the others of the file compare there as well.
  const ownDatabase = largeOn(database.name === "postgres");
  let storage: TestDatabase;
  let db: Database;
  let account: TestAccount;
  let charged: number;

  beforeEach(async () => {
    storage = await database.open();
    db = storage.db;
    account = await createTestAccount(db, 1_000, [500]);
    const budgets = [
      await budgetOf(db, { subject: "token", subject_id: account.tokenIds[0] ?? 0 }),
    ];
    charged = db.mintId();
    await db.money(holdOf(account, charged, 50, { tokenIsUnlimited: false, budgets }));
    await db.money(settleOf(account, charged, 40));
    await db.money(holdOf(account, db.mintId(), 30, { tokenIsUnlimited: false, budgets }));
    await foldRollups(db);
  });
  afterEach(() => storage.close());

  const spoil = (statement: string) =>
    db.write([{ query: { compile: () => sql.raw(statement).compile(db.sql) } }]);

  test("finds nothing in correct books", async () => expect(await everyAudit(db)).toEqual([]));

  test.each([
    [
      "balance is the ledger's sum",
      () => "update wallets set balance = balance + 1",
      /wallet \d+: stored 961, proved 960/,
    ],
    [
      "balance is the ledger's sum",
      () => "update ledger set amount = amount + 1 where kind = 'grant'",
      /961/,
    ],
    [
      "held is the sum of open reservations",
      () => "update wallets set held = held - 1",
      /stored 29, proved 30/,
    ],
    [
      "held is the sum of open reservations",
      () => "delete from reservations",
      /stored 30, proved 0/,
    ],
    [
      "a token's held quota is the sum of its open reservations",
      () => "update tokens set held_quota = held_quota + 1",
      /token \d+: stored 31, proved 30/,
    ],
    [
      "a user's used quota is the sum of the charges",
      () => "update users set used_quota = 39",
      /stored 39, proved 40/,
    ],
    [
      "a token's used quota is the sum of the charges",
      () => "update tokens set used_quota = 41",
      /stored 41, proved 40/,
    ],
    [
      "a channel's used quota is the sum of the charges",
      () => "update channels set used_quota = 0",
      /channel \d+: stored 0, proved 40/,
    ],
    [
      "the daily roll-ups hold every charge",
      () => "update rollup_day_model set quota = quota + 2",
      /stored 42, proved 40/,
    ],
    [
      "every logged charge is in the ledger",
      () => "update logs set quota = 45",
      /stored 45, proved 40/,
    ],
    [
      "every logged charge is in the ledger",
      () => `delete from ledger where billing_id = ${charged}`,
      /stored 40, proved 0/,
    ],
    [
      "balance is the ledger's sum",
      () =>
        `insert into ledger (billing_id, kind, debit, credit, amount, created_at)
         select n, 'grant', 'issuance', 'wallet:' || id, 9000000000000000, 1
         from wallets, (select 501 as n union all select 502) as twice`,
      /proved 180000000000\d{5}$/,
    ],
    [
      "a used code has paid its quota, any other nothing",
      () =>
        `insert into redemptions (uuid, user_id, name, key_hash, key_sealed, status, quota, created_at, updated_at, billing_id)
         values ('c', 1, 'c', 'c', '', 3, 9, 1, 1, 77)`,
      /code \d+: stored 9, proved 0/,
    ],
    [
      "what a budget holds is the sum of open reservations",
      () => "update budget_counters set held = 0",
      /budget \d+ from \d+: stored 0, proved 30/,
    ],
    [
      "what a whole window of a budget spent is the sum of the charges",
      () => "update budget_counters set spent = spent + 1",
      /budget \d+ from \d+: stored 41, proved 40/,
    ],
  ])(
    "names %s when it is not (%#)",
    { tags: ["BU-03", ...ownDatabase] },
    async (check, statement, detail) => {
      await spoil(statement());
      const findings = await everyAudit(db);
      expect(findings.map((finding) => finding.check)).toContain(check);
      expect(findings.find((finding) => finding.check === check)?.detail).toMatch(detail);
    },
  );

  test("finds nothing after every kind of movement, nor in empty books", async () => {
    const other = await createTestAccount(db, 300, [null, 70]);
    await createTestAccount(db, 0, [null]);
    const charges = [5, 0, 90, 500];
    for (const [n, charge] of charges.entries()) {
      const tokenId = other.tokenIds[n % 2] ?? 0;
      const id = db.mintId();
      await db.money(holdOf(other, id, 20, { tokenId, tokenIsUnlimited: n % 2 === 0 }));
      await db.money(settleOf(other, id, charge, { token_id: tokenId, model_name: `model ${n}` }));
    }
    for (const amount of [2, 3])
      await db.money(holdOf(account, db.mintId(), amount, { tokenIsUnlimited: false }));
    await db.money({ verb: "grant", id: db.mintId(), walletId: other.walletId, amount: 50, at: 1 });
    await db.money({
      verb: "grant",
      id: db.mintId(),
      walletId: other.walletId,
      amount: -20,
      at: 1,
    });
    const codes = [1, 2].map((n) => {
      const row = {
        uuid: `c${n}`,
        user_id: 1,
        name: "c",
        key_hash: `c${n}`,
        key_sealed: "",
        status: 1,
        quota: 9,
      };
      return {
        query: db.sql.insertInto("redemptions").values({ ...row, created_at: 1, updated_at: 1 }),
      };
    });
    await db.write(codes);
    const [code] = await db.read(db.sql.selectFrom("redemptions").select("id").orderBy("id"));
    const id = db.mintId();
    const { walletId, userId } = other;
    const log = logRow(other, id, { type: 1, quota: 9 });
    const redeem = {
      verb: "redeem",
      id,
      codeId: code?.id ?? 0,
      quota: 9,
      walletId,
      userId,
      at: 1,
      idempotencyHash: null,
      log,
    } as const;
    expect(await db.money(redeem)).toBe("redeemed");
    expect(await db.money({ verb: "grant", id, walletId, amount: 4, at: 1 })).toBe("granted");
    await foldRollups(db);
    expect(await everyAudit(db)).toEqual([]);

    const empty = await database.open();
    expect(await everyAudit(empty.db)).toEqual([]);
    await empty.close();
  });

  test("a budget has spent the charges of its subject, debts with them, in the window in which each call began", async () => {
    const poor = await createTestAccount(db, 300, [null]);
    const subjects = [
      { subject: "site" },
      { subject: "user", subject_id: poor.userId },
      { subject: "token", subject_id: poor.tokenIds[0] ?? 0 },
    ] as const;
    // The last charge is more than the wallet has left.
    for (const [n, charge] of [90, 80, 200].entries()) {
      const at = Date.now() - (9 - 2 * n) * hourMs;
      const budgets = await Promise.all(
        subjects.map((one) => budgetOf(db, { ...one, uuid: `${one.subject} ${n}` }, at)),
      );
      const id = (at - EPOCH_MS) * idsPerMs;
      for (const one of [id, id + 1, id + 2]) await db.money(holdOf(poor, one, 10, { budgets }));
      await db.money(settleOf(poor, id, charge));
    }
    const [wallet] = await db.read(
      db.sql.selectFrom("wallets").select("debt").where("id", "=", poor.walletId),
    );
    expect(wallet?.debt).toBeGreaterThan(0);
    await foldRollups(db);
    expect(await everyAudit(db)).toEqual([]);
    await spoil("update budget_counters set spent = spent + 1, held = held + 1");
    const details = (await everyAudit(db)).map(({ detail }) =>
      detail.replace(/^budget \d+ from \d+: /, ""),
    );
    const times = (count: number, detail: string) => Array.from({ length: count }, () => detail);
    expect(details.sort()).toEqual(
      [
        ...times(9, "stored 21, proved 20"),
        "stored 31, proved 30",
        "stored 41, proved 40",
        ...[90, 80, 200].flatMap((charge) => times(3, `stored ${charge + 1}, proved ${charge}`)),
      ].sort(),
    );
  });

  test("a budget's first window is compared from a minute after the budget was made, and those of models never", async () => {
    const other = await createTestAccount(db, 1_000, [null]);
    const at = Date.now();
    const start = at - hourMs;
    const made = [
      { uuid: "before", subject: "user", subject_id: other.userId, counts_from: start - 60_000 },
      { uuid: "within", subject: "user", subject_id: other.userId, counts_from: start - 59_999 },
      { uuid: "model", subject: "model", model_name: "small" },
      { uuid: "tag", subject: "tag", tag: "team=a" },
    ] as const;
    const budgets = [];
    for (const one of made) budgets.push(await budgetOf(db, one, at));
    const id = db.mintId();
    await db.money(holdOf(other, id, 20, { budgets }));
    await db.money(settleOf(other, id, 7));
    await foldRollups(db);
    await spoil(`update budget_counters set spent = spent + 1 where spent = 7`);
    expect((await everyAudit(db)).map(({ detail }) => detail)).toEqual([
      `budget ${budgets[0]?.id} from ${start}: stored 8, proved 7`,
    ]);
  });

  test("a budget that refuses nothing holds nothing", async () => {
    const budget = { ...(await budgetOf(db, { uuid: "soft", hard: 0 })), max: null };
    await db.money(
      holdOf(account, db.mintId(), 20, { budgets: [budget], tokenIsUnlimited: false }),
    );
    expect(await everyAudit(db)).toEqual([]);
  });

  test("what an import carried is in the roll-ups by its days alone, and its calls are in no ledger", async () => {
    const sums = [
      ["day", 1, 30],
      ["day", 2, 12],
      ["user", 1, 42],
    ].map(
      ([kind, subject, quota]) => `('one-api', '${kind}', ${subject}, 1, 1, 1, ${quota}, 0, 0)`,
    );
    await spoil(`insert into imported_log_sums
      (source, kind, subject, row_count, kept_calls, calls, quota, prompt_tokens, completion_tokens) values ${sums.join(", ")}`);
    await spoil("update rollup_day_model set quota = quota + 42");
    for (const [n, type] of [2, 7].entries())
      await db.write([
        {
          query: db.sql
            .insertInto("logs")
            .values(logRow(account, 10 + n, { type, quota: 9, outcome: "" })),
        },
      ]);
    expect(await everyAudit(db)).toEqual([]);
    await spoil("update logs set outcome = 'success' where id = 11");
    expect((await everyAudit(db)).map(({ detail }) => detail)).toEqual([
      "log 11: stored 9, proved 0",
    ]);
  });

  test("what a ledger row moves besides a charge is no part of the logged charge", async () => {
    await spoil(`insert into ledger (billing_id, kind, debit, credit, amount, created_at)
      values (${charged}, 'grant', 'issuance', 'wallet:${account.walletId}', 5, 1)`);
    await spoil("update wallets set balance = balance + 5");
    expect(await everyAudit(db)).toEqual([]);
  });

  test("names each wrong wallet, and of many only the first twenty", async () => {
    const { walletId } = await createTestAccount(db, 0, [null]);
    await spoil("update wallets set balance = balance + 1");
    const details = (await everyAudit(db)).map(({ detail }) => detail);
    expect(details).toEqual([
      `wallet ${account.walletId}: stored 961, proved 960`,
      `wallet ${walletId}: stored 1, proved 0`,
    ]);
    for (let made = 0; made < 25; made += 1) await createTestAccount(db, 0, [null]);
    await spoil("update wallets set balance = balance + 1");
    expect(await everyAudit(db)).toHaveLength(20);
  });

  test("a charge whose log row was deleted is still in the books", { tags: ["I-2"] }, async () => {
    await spoil("delete from logs");
    expect(await everyAudit(db)).toEqual([]);
  });

  test("charges after every statement are no disagreement, of calls that ran before as of new ones", async () => {
    const other = await createTestAccount(db, 10_000, [null]);
    const running = Array.from({ length: 25 }, () => db.mintId());
    let statements = 0;
    for (const id of running) await db.money(holdOf(other, id, 20));
    const read: Database["read"] = async (query) => {
      const rows = await db.read(query);
      statements += 1;
      const old = statements % 2 === 0 ? running.pop() : undefined;
      const id = old ?? db.mintId();
      if (old === undefined) await db.money(holdOf(other, id, 5));
      await db.money(settleOf(other, id, 5));
      return rows;
    };
    const { sql: composer, dialect } = db;
    const audit = auditInSteps(
      { sql: composer, dialect, read },
      () => Date.now() + 3_600_000,
      bookBeginning,
    );
    let step = await audit.next();
    while (!step.done) step = await audit.next();
    expect(step.value).toEqual([]);
    expect(running).toEqual([]);
    await foldRollups(db);
    expect(await everyAudit(db)).toEqual([]);
  });

  test("an audit goes on at each of its positions, and finds the same", async () => {
    await spoil("update wallets set balance = balance + 1");
    await spoil("update users set used_quota = used_quota + 1");
    const whole = await auditedInSteps(db, 0);
    expect(whole).toHaveLength(2);
    const audit = auditInSteps(db, Date.now, bookBeginning);
    for (let step = await audit.next(); !step.done; step = await audit.next()) {
      const rest = auditInSteps(db, Date.now, structuredClone(step.value));
      let one = await rest.next();
      while (!one.done) one = await rest.next();
      expect(one.value).toEqual(whole);
    }
  });
});

const postgres = testDatabases.filter(({ name }) => name === "postgres");
describe.each(postgres)("the audit on a busy $name", (database) => {
  let storage: TestDatabase;
  let other: pg.Client;
  beforeAll(async () => {
    storage = await database.open();
    other = new pg.Client({ connectionString: storage.config.databaseUrl });
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await storage.close();
  });

  test("waits for a node that is folding roll-ups, and raises no false alarm", async () => {
    const { db } = storage;
    const account = await createTestAccount(db, 1_000, [null]);
    // The other node has started to fold, so that this node's timer cannot fold new calls.
    await other.query("begin");
    await other.query("select pg_advisory_xact_lock(7081201)");
    const id = db.mintId();
    await db.money(holdOf(account, id, 40));
    await db.money(settleOf(account, id, 40));
    const findings = auditBooks(db);
    await other.query("select tollgate_fold_rollups()");
    const commit = pause(500).then(() => other.query("commit"));
    expect(await findings).toEqual([]);
    await commit;
  });
});
