// What a team pays counts for the team, and in no roll-up of the account that called.
import {
  createTestAccount,
  foldRollups,
  holdOf,
  settleOf,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditBooks } from "./audit/audit.ts";

describe.each(testDatabases)("calls of a team on $name", ({ open }) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  test("count under account 0 by account, for the person in all, and for the team", async () => {
    const { db } = opened;
    const account = await createTestAccount(db, 1_000, [null]);
    const budget = { id: 1, start: 0, end: null, max: 900, target: null };
    const calls = [
      { charge: 3, team_id: null },
      { charge: 5, team_id: 7 },
      { charge: 11, team_id: 7, budgets: [budget] },
    ].map((call) => ({ ...call, id: db.mintId() }));
    await Promise.all(
      calls.map(({ id, budgets }) => db.money(holdOf(account, id, 20, { budgets }))),
    );
    await Promise.all(
      calls.map(({ id, charge, team_id, budgets }) =>
        db.money({
          ...settleOf(account, id, charge, { team_id }),
          hasBudgets: budgets !== undefined,
        }),
      ),
    );
    await foldRollups(db);
    const sums = (table: "rollup_day_user" | "rollup_day_user_model" | "rollup_day_team") =>
      db.read(db.sql.selectFrom(table).select(["user_id", "quota", "requests"]).orderBy("user_id"));
    const apart = [
      { user_id: 0, quota: 16, requests: 2 },
      { user_id: account.userId, quota: 3, requests: 1 },
    ];
    expect(await sums("rollup_day_user")).toEqual(apart);
    expect(await sums("rollup_day_user_model")).toEqual(apart);
    expect(await sums("rollup_day_team")).toEqual([
      { user_id: account.userId, quota: 16, requests: 2 },
    ]);
    const [user] = await db.read(
      db.sql
        .selectFrom("users")
        .select(["used_quota", "request_count"])
        .where("id", "=", account.userId),
    );
    expect(user).toEqual({ used_quota: 19, request_count: 3 });
    expect(await auditBooks(db)).toEqual([]);
  });
});
