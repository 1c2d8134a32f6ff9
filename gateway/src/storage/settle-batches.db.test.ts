// Settlements that end at one moment are written together; they leave what they would leave one
// after the other.
import {
  createTestAccount,
  foldRollups,
  holdOf,
  settleOf,
  type TestAccount,
  tokensOf,
  walletOf,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditBooks } from "../money/audit/audit.ts";
import type { SettleCommand } from "./money-commands.ts";

/** More than all calls of a case cost: what each leaves does not depend on their order. */
const balance = 10_000;
const limits = [120, 5_000, null];

interface EndingCall {
  account: number;
  token: number;
  held: number;
  charge: number;
  failed: boolean;
}

const endingCall = fc.record({
  account: fc.nat({ max: 1 }),
  token: fc.nat({ max: limits.length - 1 }),
  held: fc.nat({ max: 40 }),
  charge: fc.oneof(fc.nat({ max: 40 }), fc.integer({ min: 41, max: 90 })),
  failed: fc.boolean(),
});

describe.each(testDatabases)("settlements on $name", (database) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await database.open();
  });
  afterAll(() => storage.close());

  async function settled(
    calls: readonly EndingCall[],
    end: (commands: SettleCommand[]) => Promise<unknown[]>,
  ) {
    const { db } = storage;
    const accounts = [
      await createTestAccount(db, balance, limits),
      await createTestAccount(db, balance, limits),
    ];
    const commands: SettleCommand[] = [];
    for (const { account: place, token, held, charge, failed } of calls) {
      const account = accounts[place] as TestAccount;
      const tokenId = account.tokenIds[token] ?? 0;
      const id = db.mintId();
      const tokenIsUnlimited = limits[token] === null;
      const result = await db.money(holdOf(account, id, held, { tokenId, tokenIsUnlimited }));
      if (result !== "held") continue;
      const outcome = failed ? "failed" : "success";
      commands.push(
        settleOf(account, id, charge, { token_id: tokenId, outcome, prompt_tokens: charge * 2 }),
      );
    }
    const results = await end(commands);
    await foldRollups(db);
    return { results, books: await Promise.all(accounts.map(booksOf)) };
  }

  /**
   * Everything that a settlement writes, without the ids and times that two accounts never share.
   */
  async function booksOf(account: TestAccount) {
    const { db } = storage;
    const { sql, read } = db;
    const { balance, held, debt } = await walletOf(db, account);
    const tokens = await tokensOf(db, account);
    const logs = sql.selectFrom("logs").where("logs.user_id", "=", account.userId);
    return {
      wallet: { balance, held, debt },
      tokens: tokens.map(({ remain_quota, held_quota, used_quota, status }) => ({
        remain_quota,
        held_quota,
        used_quota,
        status,
      })),
      user: await read(
        sql
          .selectFrom("users")
          .select(["used_quota", "request_count"])
          .where("id", "=", account.userId),
      ),
      ledger: await read(
        sql
          .selectFrom("ledger")
          .select(["kind", "amount"])
          .where("user_id", "=", account.userId)
          .orderBy("kind")
          .orderBy("amount"),
      ),
      logs: await read(
        logs
          .select(["quota", "outcome", "content"])
          .orderBy("quota")
          .orderBy("outcome")
          .orderBy("content"),
      ),
      traces: await read(
        logs
          .innerJoin("traces", "traces.id", "logs.id")
          .select(["logs.quota"])
          .orderBy("logs.quota"),
      ),
      rollups: await read(
        sql
          .selectFrom("rollup_day_token")
          .select(["requests", "failures", "quota", "prompt_tokens"])
          .where("token_id", "in", account.tokenIds)
          .orderBy("token_id"),
      ),
      open: await read(
        sql.selectFrom("reservations").select("amount").where("user_id", "=", account.userId),
      ),
    };
  }

  test("together they leave what they leave one after the other", async () => {
    const { db } = storage;
    await fc.assert(
      fc.asyncProperty(fc.array(endingCall, { minLength: 2, maxLength: 24 }), async (calls) => {
        const alone = await settled(calls, async (commands) => {
          const results = [];
          for (const command of commands) results.push(await db.money(command));
          return results;
        });
        const together = await settled(calls, (commands) =>
          Promise.all(commands.map((command) => db.money(command))),
        );
        expect(together).toEqual(alone);
      }),
      { numRuns: 15 },
    );
    expect(await auditBooks(db)).toEqual([]);
  });

  test("a call that is settled twice at one moment is charged once", async () => {
    const { db } = storage;
    const account = await createTestAccount(db, balance, [null]);
    const [one, other] = [db.mintId(), db.mintId()];
    for (const id of [one, other]) await db.money(holdOf(account, id, 40));
    const twice = settleOf(account, one, 30);
    const results = await Promise.all(
      [twice, settleOf(account, other, 20), twice].map((command) => db.money(command)),
    );
    expect(results.sort()).toEqual(["already", "settled", "settled"]);
    expect(await walletOf(db, account)).toMatchObject({ balance: balance - 50, held: 0 });
  });
});
