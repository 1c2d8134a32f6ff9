// Budgets that pause keys: once in each window, on any number of nodes, and never a key that was
// resumed in it.
import type { BudgetInput } from "@tollgate/contract/accounts/budgets.ts";
import {
  createTestAccount,
  holdOf,
  settleOf,
  type TestAccount,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { describeVariants } from "@tollgate/tests/support/variants.ts";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findWindow } from "../../money/holds/budget-windows.ts";
import type { MailMessage } from "../../notices/mail/mail-messages.ts";
import type { ComposeMail } from "../../notices/mail/mailer.ts";
import { buildOptionReader } from "../../settings/live-options.ts";
import type { Database } from "../../storage/database.ts";
import { createBudgetPauses } from "./budget-pauses.ts";
import { buildBudget, changeBudget } from "./budget-rules.ts";
import { type BudgetRow, createBudgetStore } from "./budget-store.ts";
import { selectCounted } from "./budget-view.ts";

const hour = 3_600_000;
const madeAt = Date.UTC(2026, 10, 23, 12);

describeVariants(testDatabases)("budgets that pause keys on $name", ({ open }) => {
  let storage: TestDatabase;
  let db: Database;
  let account: TestAccount;
  let messages: MailMessage[];
  let now: number;
  beforeEach(async () => {
    storage = await open();
    db = storage.db;
    await prepare();
  });
  afterEach(() => storage.close());

  async function prepare(): Promise<void> {
    now = madeAt;
    messages = [];
    account = await createTestAccount(db, 1_000_000, [null, null, null]);
    await db.write([
      {
        query: db.sql
          .updateTable("users")
          .set({ email: `${account.userId}@example.org` })
          .where("id", "=", account.userId),
      },
    ]);
  }
  const pauses = (onError = (error: unknown): void => expect.unreachable(String(error))) => {
    const enqueue = (_: string, compose: ComposeMail) => {
      void compose().then((message) => message && messages.push(message));
      return true;
    };
    const mailer = {
      isConfigured: () => true,
      enqueue,
      deliver: async () => undefined,
      isIdle: () => true,
    };
    return createBudgetPauses({
      ...{
        db,
        options: buildOptionReader(new Map()),
        publicUrl: "https://ai.example.org",
        now: () => now,
        onError,
      },
      mailer: { ...mailer, stop: async () => {} },
    });
  };
  const make = async (more: Partial<BudgetInput> = {}): Promise<BudgetRow> => {
    const input: BudgetInput = {
      ...{
        name: "nightly",
        window: "hour",
        first_day: 1,
        note: "",
        models: [],
        zone: "UTC",
        amount: 100,
        hard: true,
        thresholds: [],
      },
      ...{
        enabled: true,
        counts_team_keys: false,
        measure: "quota",
        on_reached: "pause",
        subject: "user",
        subject_id: account.userId,
      },
    };
    const uuid = crypto.randomUUID();
    await db.write([
      createBudgetStore(db).insert(buildBudget({ ...input, ...more }, uuid, madeAt)),
    ]);
    return find(uuid);
  };
  const find = async (uuid: string): Promise<BudgetRow> => {
    const [row] = await db.read(db.sql.selectFrom("budgets").selectAll().where("uuid", "=", uuid));
    return row ?? expect.unreachable("the budget is gone");
  };
  const spend = async (row: BudgetRow, quota: number) => {
    const id = db.mintId();
    const budgets = [{ id: row.id, ...findWindow(row, now), max: null, target: null }];
    await db.money(holdOf(account, id, quota, { budgets }));
    await db.money(settleOf(account, id, quota));
  };
  const counted = async ({ uuid }: BudgetRow) => {
    const [one] = await selectCounted([await find(uuid)], now, createBudgetStore(db).counters);
    return one ?? expect.unreachable("the budget is gone");
  };
  const statuses = async () => {
    const rows = db.sql
      .selectFrom("tokens")
      .select(["id", "status"])
      .where("user_id", "=", account.userId);
    return (await db.read(rows.orderBy("id"))).map(({ status }) => status);
  };
  const setStatus = (status: number, id?: number) =>
    db.write([
      {
        query: db.sql
          .updateTable("tokens")
          .set({ status })
          .where("user_id", "=", account.userId)
          .$if(id !== undefined, (tokens) => tokens.where("id", "=", id ?? 0)),
      },
    ]);
  const entries = () =>
    db.read(
      db.sql
        .selectFrom("audit_entries")
        .select(["target", "change"])
        .where("action", "=", "budget.pause_keys"),
    );

  test("the schedule pauses what is enabled or exhausted once the amount is spent, and the owner gets one mail", async () => {
    const row = await make();
    const [, second, third] = account.tokenIds;
    await setStatus(4, second);
    await setStatus(2, third);
    await spend(row, 99);
    await pauses().pauseReached();
    expect([await statuses(), await entries()]).toEqual([[1, 4, 2], []]);
    await spend(row, 1);
    await pauses().pauseReached();
    expect(await statuses()).toEqual([5, 5, 2]);
    const [paused] = await db.read(
      db.sql.selectFrom("tokens").selectAll().where("status", "=", 5).limit(1),
    );
    expect(paused).toMatchObject({
      paused_by: "budget",
      paused_by_name: "nightly",
      pause_reason: "",
      paused_at: now,
    });
    expect(await entries()).toMatchObject([{ target: row.uuid }]);
    expect(messages.map(({ to }) => to)).toEqual([`${account.userId}@example.org`]);
    expect(messages[0]?.text).toContain("nightly");
  });

  test("a budget of one key pauses this key alone, and one that only refuses pauses none", async () => {
    const [first, second = 0] = account.tokenIds;
    const one = await make({ subject: "token", subject_id: second });
    const other = await make({ subject: "token", subject_id: first, on_reached: "refuse" });
    const off = await make({ subject: "token", subject_id: first, enabled: false });
    for (const row of [one, other, off]) await spend(row, 100);
    await pauses().pauseReached();
    expect(await statuses()).toEqual([1, 5, 1]);
  });

  test("a cap of an earlier version that pauses, whose membership has the number of a user, pauses none", async () => {
    const cap = await make({ subject: "member", on_reached: "refuse" });
    const set = db.sql.updateTable("budgets").set({ on_reached: "pause" });
    await db.write([{ query: set.where("id", "=", cap.id) }]);
    const row = await find(cap.uuid);
    await spend(row, 100);
    await pauses().pauseReached();
    await pauses().afterRefusal(await counted(row), 1);
    expect([await statuses(), await entries()]).toEqual([[1, 1, 1], []]);
  });

  test("a refused call pauses where spending leaves too little for it, not where running calls hold the rest", async () => {
    const row = await make();
    await pauses().afterRefusal(await counted(row), 101);
    expect(await statuses()).toEqual([1, 1, 1]);
    await spend(row, 60);
    const budgets = [{ id: row.id, ...findWindow(row, now), max: 100, target: null }];
    await db.money(holdOf(account, db.mintId(), 35, { budgets }));
    await pauses().afterRefusal(await counted(row), 40);
    expect(await statuses()).toEqual([1, 1, 1]);
    await pauses().afterRefusal(await counted(row), 41);
    expect(await statuses()).toEqual([5, 5, 5]);
  });

  test("of two nodes at once, one pauses", async () => {
    const row = await make();
    await spend(row, 100);
    const seen = await counted(row);
    const nodes = [pauses(), pauses(), pauses()];
    await Promise.all(nodes.flatMap((node) => [node.pauseReached(), node.afterRefusal(seen, 1)]));
    expect(await statuses()).toEqual([5, 5, 5]);
    expect([(await entries()).length, messages.length]).toEqual([1, 1]);
  });

  test("a budget that was changed after it was read pauses nothing", async () => {
    const row = await make();
    await spend(row, 100);
    const seen = await counted(row);
    await db.write([
      createBudgetStore(db).update(row, changeBudget(row, { uuid: row.uuid, amount: 500 }, now)),
    ]);
    await pauses().afterRefusal(seen, 1);
    await pauses().pauseReached();
    expect(await statuses()).toEqual([1, 1, 1]);
  });

  test("a storage that fails does not reach the refused call", async () => {
    const row = await make();
    await spend(row, 100);
    const seen = await counted(row);
    const errors: unknown[] = [];
    const failing = { ...db, write: () => Promise.reject(new Error("it broke")) };
    const node = createBudgetPauses({
      ...{
        db: failing,
        options: buildOptionReader(new Map()),
        publicUrl: undefined,
        now: () => now,
      },
      mailer: {
        isConfigured: () => false,
        enqueue: () => false,
        deliver: async () => {},
        isIdle: () => true,
        stop: async () => {},
      },
      onError: (error) => errors.push(error),
    });
    await node.afterRefusal(seen, 1);
    expect(errors).toHaveLength(1);
  });

  test("whatever happens, a window pauses at most once, unless the budget is changed", {
    timeout: 60_000,
  }, async () => {
    const act = fc.constantFrom(
      "spend",
      "refused",
      "refused late",
      "schedule",
      "resume",
      "rename",
      "next hour",
      "raise",
      "off and on",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { minLength: 8, maxLength: 20, size: "max" }),
        async (acts) => {
          await prepare();
          const { uuid } = await make();
          const change = async (more: object) => {
            const read = await find(uuid);
            await db.write([
              createBudgetStore(db).update(read, changeBudget(read, { uuid, ...more }, now)),
            ]);
          };
          let hasPaused = false;
          for (const one of acts) {
            const row = await find(uuid);
            const before = await statuses();
            if (one === "spend") await spend(row, 80);
            if (one === "refused") await pauses().afterRefusal(await counted(row), 30);
            // Its node has not heard yet of what another one did.
            if (one === "refused late")
              await pauses().afterRefusal(
                { ...(await counted(row)), row: { ...row, pauses_after: 0 } },
                30,
              );
            if (one === "schedule") await pauses().pauseReached();
            if (one === "resume") await setStatus(1);
            if (one === "rename") await change({ name: `night ${now}` });
            if (one === "next hour") now += hour;
            if (one === "raise") await change({ amount: row.amount + 10 });
            if (one === "off and on")
              for (const enabled of [false, true]) await change({ enabled });
            if (one === "next hour" || one === "raise" || one === "off and on") hasPaused = false;
            const isPausing = before.includes(1) && !(await statuses()).includes(1);
            expect(isPausing && hasPaused).toBe(false);
            if ((await find(uuid)).pauses_after === findWindow(row, now).start) hasPaused = true;
          }
          const { spent, row } = await counted(await find(uuid));
          await setStatus(1);
          await pauses().pauseReached();
          expect((await statuses()).includes(5)).toBe(spent >= row.amount && !hasPaused);
        },
      ),
      { numRuns: 60 },
    );
  });
});
