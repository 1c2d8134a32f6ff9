// Each money verb alone, at the unit where its result changes, and everything that it writes.

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
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../storage/database.ts";
import { auditBooks } from "./audit/audit.ts";

describe.each(testDatabases)("a money verb on $name", (database) => {
  let storage: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    storage = await database.open();
    db = storage.db;
  });
  afterAll(() => storage.close());

  const hold = async (
    account: TestAccount,
    amount: number,
    changes: Parameters<typeof holdOf>[3] = {},
  ) => {
    const id = db.mintId();
    return { id, answer: await db.money(holdOf(account, id, amount, changes)) };
  };
  const topUp = (id: number, amount: number) => db.money({ verb: "top_up_hold", id, amount });
  const limited = { tokenIsUnlimited: false };
  const held = async (account: TestAccount) => {
    const { balance, held: units } = await walletOf(db, account);
    return {
      balance,
      held: units,
      tokens: (await tokensOf(db, account)).map((token) => token.held_quota),
    };
  };
  const reservations = async ({ walletId }: TestAccount) =>
    await db.read(
      db.sql.selectFrom("reservations").selectAll().where("wallet_id", "=", walletId).orderBy("id"),
    );
  const entriesOf = async (id: number) =>
    (
      await db.read(
        db.sql.selectFrom("ledger").selectAll().where("billing_id", "=", id).orderBy("kind"),
      )
    ).map(({ kind, debit, credit, amount }) => [kind, debit, credit, amount]);
  const userOf = async ({ userId }: TestAccount) => {
    await foldRollups(db);
    const [user] = await db.read(
      db.sql.selectFrom("users").select(["used_quota", "request_count"]).where("id", "=", userId),
    );
    return user;
  };
  const channelQuota = async ({ channelId }: TestAccount) => {
    await foldRollups(db);
    const rows = await db.read(
      db.sql.selectFrom("channels").select("used_quota").where("id", "=", channelId),
    );
    return rows[0]?.used_quota;
  };

  describe("hold", () => {
    test("holds up to the last available unit, and nothing beyond it", async () => {
      const [account, other] = [
        await createTestAccount(db, 100, [null]),
        await createTestAccount(db, 100, [null]),
      ];
      expect((await hold(account, 60)).answer).toBe("held");
      expect((await hold(account, 41)).answer).toBe("insufficient_user_quota");
      expect((await hold(account, 40)).answer).toBe("held");
      expect((await hold(account, 1)).answer).toBe("insufficient_user_quota");
      expect((await hold(account, 0)).answer).toBe("held");
      expect(await held(account)).toEqual({ balance: 100, held: 100, tokens: [0] });
      expect(await held(other)).toEqual({ balance: 100, held: 0, tokens: [0] });
    });

    test("is limited by its token to the last unit, and a refusal returns the units to the wallet", async () => {
      const account = await createTestAccount(db, 1_000, [50, 50]);
      expect((await hold(account, 51, limited)).answer).toBe("pre_consume_token_quota_failed");
      expect(await held(account)).toEqual({ balance: 1_000, held: 0, tokens: [0, 0] });
      expect((await hold(account, 49, limited)).answer).toBe("held");
      expect((await hold(account, 1, limited)).answer).toBe("held");
      expect((await hold(account, 1, limited)).answer).toBe("pre_consume_token_quota_failed");
      expect((await hold(account, 0, limited)).answer).toBe("held");
      expect(await held(account)).toEqual({ balance: 1_000, held: 50, tokens: [50, 0] });
    });

    // The database server can crash alone: the gateway would then serve a call whose hold is lost.
    if (database.name === "postgres")
      test("is as durable as any other write", async () => {
        const account = await createTestAccount(db, 100, [null]);
        const client = new pg.Client({ connectionString: storage.config.databaseUrl });
        await client.connect();
        const durability = async () => (await client.query("show synchronous_commit")).rows;
        try {
          await client.query("begin");
          const before = await durability();
          const { rows } = await client.query(
            "select tollgate_hold($1, $2, $3, $4, 1, 1, true, 0, $5, '{}', false) as answer",
            [db.mintId(), account.walletId, account.userId, account.tokenIds[0], Date.now()],
          );
          expect(rows).toEqual([{ answer: "held" }]);
          expect(await durability()).toEqual(before);
        } finally {
          await client.end();
        }
      });

    test("of an unlimited token is limited by the wallet only", async () => {
      const account = await createTestAccount(db, 100, [null]);
      expect((await hold(account, 100, { tokenId: 999_999 })).answer).toBe("held");
    });

    test("stores everything that the sweeper needs", async () => {
      const account = await createTestAccount(db, 100, [50]);
      const parts = { leaseUntil: 77, snapshot: '{"a":1}' };
      const { id } = await hold(account, 30, { ...limited, ...parts });
      const { id: unlimited } = await hold(account, 20, { ...parts, leaseUntil: 78 });
      const [tokenId] = account.tokenIds;
      const row = {
        wallet_id: account.walletId,
        user_id: account.userId,
        token_id: tokenId,
        node: db.node,
        budgets: null,
      };
      expect(await reservations(account)).toEqual([
        {
          ...row,
          id,
          amount: 30,
          token_amount: 30,
          lease_until: 77,
          snapshot: '{"a":1}',
          progress: null,
        },
        {
          ...row,
          id: unlimited,
          amount: 20,
          token_amount: 0,
          lease_until: 78,
          snapshot: '{"a":1}',
          progress: null,
        },
      ]);
    });
  });

  describe("top up", () => {
    test("extends a hold up to the last unit of wallet and token", async () => {
      const account = await createTestAccount(db, 100, [80, null]);
      const { id } = await hold(account, 10, limited);
      const { id: other } = await hold(account, 5, limited);
      expect(await topUp(id, 20)).toBe("held");
      expect(await topUp(id, 46)).toBe("pre_consume_token_quota_failed");
      expect(await held(account)).toEqual({ balance: 100, held: 35, tokens: [35, 0] });
      expect(await topUp(id, 45)).toBe("held");
      expect(await held(account)).toEqual({ balance: 100, held: 80, tokens: [80, 0] });
      expect(
        (await reservations(account)).map((row) => [row.id, row.amount, row.token_amount]),
      ).toEqual([
        [id, 75, 75],
        [other, 5, 5],
      ]);
    });

    test("of an unlimited token is limited by the wallet only", async () => {
      const account = await createTestAccount(db, 100, [null]);
      const { id } = await hold(account, 10);
      expect(await topUp(id, 91)).toBe("insufficient_user_quota");
      expect(await topUp(id, 90)).toBe("held");
      expect(await topUp(id, 1)).toBe("insufficient_user_quota");
      expect(await held(account)).toEqual({ balance: 100, held: 100, tokens: [0] });
      expect((await reservations(account)).map((row) => [row.amount, row.token_amount])).toEqual([
        [100, 0],
      ]);
    });

    test("of a single unit counts for the token, and of zero units succeeds", async () => {
      const account = await createTestAccount(db, 100, [1]);
      const { id } = await hold(account, 1, limited);
      expect(await topUp(id, 0)).toBe("held");
      expect(await topUp(id, 1)).toBe("pre_consume_token_quota_failed");
      expect(await held(account)).toEqual({ balance: 100, held: 1, tokens: [1] });
      const roomy = await createTestAccount(db, 100, [9]);
      const { id: small } = await hold(roomy, 1, limited);
      expect(await topUp(small, 1)).toBe("held");
      expect(await held(roomy)).toEqual({ balance: 100, held: 2, tokens: [2] });
      expect((await reservations(roomy)).map((row) => [row.amount, row.token_amount])).toEqual([
        [2, 2],
      ]);
    });

    test("of an unknown hold is gone", async () =>
      expect(await topUp(db.mintId(), 1)).toBe("gone"));
  });

  describe("settle", () => {
    test("charges wallet, token, user and channel once, with entry, row and trace", async () => {
      const account = await createTestAccount(db, 1_000, [100, 100]);
      const [tokenId = 0] = account.tokenIds;
      const { id } = await hold(account, 50, limited);
      const { id: running } = await hold(account, 7, limited);
      const settle = {
        ...settleOf(account, id, 30, { model_name: "big", content: "a message" }),
        trace: '{"t":1}',
      };
      const before = Date.now();
      expect(await db.money(settle)).toBe("settled");
      expect(await walletOf(db, account)).toMatchObject({ balance: 970, held: 7 });
      const [token, other] = await tokensOf(db, account);
      expect(token).toMatchObject({
        id: tokenId,
        remain_quota: 70,
        held_quota: 7,
        used_quota: 30,
        status: 1,
      });
      expect(token?.accessed_at).toBeGreaterThanOrEqual(before);
      expect(other).toMatchObject({ remain_quota: 100, held_quota: 0, used_quota: 0, status: 1 });
      expect(await entriesOf(id)).toEqual([
        ["charge", `wallet:${account.walletId}`, "revenue", 30],
      ]);
      const [entry] = await db.read(
        db.sql.selectFrom("ledger").selectAll().where("billing_id", "=", id),
      );
      expect(entry).toMatchObject({
        user_id: account.userId,
        token_id: tokenId,
        channel_id: account.channelId,
      });
      expect(entry?.created_at).toBeGreaterThanOrEqual(before);
      expect(await db.read(db.sql.selectFrom("logs").selectAll().where("id", "=", id))).toEqual([
        { ...settle.log, event: null },
      ]);
      expect(await db.read(db.sql.selectFrom("traces").selectAll().where("id", "=", id))).toEqual([
        { id, data: '{"t":1}' },
      ]);
      expect((await reservations(account)).map((row) => row.id)).toEqual([running]);
      expect(await userOf(account)).toEqual({ used_quota: 30, request_count: 1 });
      expect(await channelQuota(account)).toBe(30);
      expect(await auditBooks(db)).toEqual([]);
    });

    test.each([
      ["with a unit left", 100, 99, 1, 1],
      ["to its last unit", 100, 100, 0, 4],
      ["by more than it had", 100, 130, 0, 4],
    ])("uses a token up %s", async (_, limit, charge, left, status) => {
      const account = await createTestAccount(db, 1_000, [limit]);
      const { id } = await hold(account, 50, limited);
      await db.money(settleOf(account, id, charge));
      const [token] = await tokensOf(db, account);
      expect(token).toMatchObject({
        remain_quota: left,
        used_quota: charge,
        held_quota: 0,
        status,
      });
    });

    test("keeps a disabled token disabled, and an unlimited one unchanged", async () => {
      const account = await createTestAccount(db, 1_000, [10, null]);
      const [disabled = 0, unlimited = 0] = account.tokenIds;
      await db.write([
        { query: db.sql.updateTable("tokens").set({ status: 2 }).where("id", "=", disabled) },
        {
          query: db.sql.updateTable("tokens").set({ remain_quota: 8 }).where("id", "=", unlimited),
        },
      ]);
      const { id } = await hold(account, 5, limited);
      const { id: other } = await hold(account, 5, { tokenId: unlimited });
      await db.money(settleOf(account, id, 10));
      await db.money(settleOf(account, other, 10, { token_id: unlimited }));
      expect(
        (await tokensOf(db, account)).map((token) => [
          token.status,
          token.remain_quota,
          token.used_quota,
        ]),
      ).toEqual([
        [2, 0, 10],
        [1, 8, 10],
      ]);
    });

    test("of zero units releases the hold, writes the row, and does not count as a paid call", async () => {
      const account = await createTestAccount(db, 100, [50]);
      const { id } = await hold(account, 50, limited);
      expect(await db.money(settleOf(account, id, 0))).toBe("settled");
      expect(await held(account)).toEqual({ balance: 100, held: 0, tokens: [0] });
      expect(await entriesOf(id)).toEqual([]);
      expect(await db.read(db.sql.selectFrom("logs").select("quota").where("id", "=", id))).toEqual(
        [{ quota: 0 }],
      );
      expect(await userOf(account)).toEqual({ used_quota: 0, request_count: 0 });
    });

    test("of a single unit has a ledger entry", async () => {
      const account = await createTestAccount(db, 100, [null]);
      const { id } = await hold(account, 1);
      await db.money(settleOf(account, id, 1));
      expect(await entriesOf(id)).toEqual([["charge", `wallet:${account.walletId}`, "revenue", 1]]);
      expect(await userOf(account)).toEqual({ used_quota: 1, request_count: 1 });
      expect(await channelQuota(account)).toBe(1);
    });

    test.each([
      ["all but a unit of what it lacks", 41, 40, 1],
      ["as much again as the hold", 90, 40, 40],
      ["nothing when another call's hold is all there is", 100, 0, 0],
    ])(
      "beyond what is there takes %s, owes that much again, and calls the rest a shortfall",
      async (_, charge, taken, owed) => {
        const account = await createTestAccount(db, 100, [null]);
        const { id } = await hold(account, taken);
        const { id: other } = await hold(account, 100 - taken);
        const lost = charge - taken - owed;
        expect(await db.money(settleOf(account, id, charge))).toBe(lost > 0 ? "short" : "settled");
        expect(await entriesOf(id)).toEqual([
          ...(taken > 0 ? [["charge", `wallet:${account.walletId}`, "revenue", taken]] : []),
          ...(owed > 0 ? [["debt", `debt:${account.walletId}`, "revenue", owed]] : []),
          ...(lost > 0 ? [["shortfall", "shortfall", "revenue", lost]] : []),
        ]);
        expect(await walletOf(db, account)).toMatchObject({
          balance: 100 - taken,
          held: 100 - taken,
          debt: owed,
        });
        expect(await userOf(account)).toEqual({ used_quota: charge, request_count: 1 });
        await db.money({ verb: "release", id: other });
        expect(await auditBooks(db)).toEqual([]);
      },
    );

    test("may take all units that are not held", async () => {
      const account = await createTestAccount(db, 100, [null]);
      const { id } = await hold(account, 10);
      await hold(account, 30);
      expect(await db.money(settleOf(account, id, 70))).toBe("settled");
      expect(await entriesOf(id)).toEqual([
        ["charge", `wallet:${account.walletId}`, "revenue", 70],
      ]);
      expect(await walletOf(db, account)).toMatchObject({ balance: 30, held: 30 });
    });

    test("of several concurrent calls counts each for its own user, channel and token", async () => {
      const [one, two] = [
        await createTestAccount(db, 1_000, [null]),
        await createTestAccount(db, 1_000, [null]),
      ];
      // The last one costs nothing and does not count as paid.
      const charges = [1, 10, 100, 2, 0];
      const calls = [one, two, one, two, one].map((account, n) => ({
        account,
        charge: charges[n] ?? 0,
      }));
      const ids = await Promise.all(calls.map(async ({ account }) => (await hold(account, 10)).id));
      await Promise.all(
        calls.map(({ account, charge }, n) => db.money(settleOf(account, ids[n] ?? 0, charge))),
      );
      expect(await userOf(one)).toEqual({ used_quota: 1 + 100, request_count: 2 });
      expect(await userOf(two)).toEqual({ used_quota: 10 + 2, request_count: 2 });
      expect([await channelQuota(one), await channelQuota(two)]).toEqual([101, 12]);
      expect(await auditBooks(db)).toEqual([]);
    });
  });

  describe("release", () => {
    test("releases the hold of this call, and no other", async () => {
      const account = await createTestAccount(db, 100, [90, 90]);
      const { id } = await hold(account, 30, limited);
      const { id: other } = await hold(account, 20, limited);
      expect(await db.money({ verb: "release", id })).toBe("released");
      expect(await held(account)).toEqual({ balance: 100, held: 20, tokens: [20, 0] });
      expect((await reservations(account)).map((row) => row.id)).toEqual([other]);
      expect(await db.money({ verb: "release", id })).toBe("already");
      expect(await entriesOf(id)).toEqual([]);
      expect(await held(account)).toEqual({ balance: 100, held: 20, tokens: [20, 0] });
    });
  });

  test("progress renews each named lease and records new deliveries", async () => {
    const account = await createTestAccount(db, 100, [null]);
    const [first, second, third] = [
      await hold(account, 1, { leaseUntil: 5 }),
      await hold(account, 1, { leaseUntil: 5 }),
      await hold(account, 1, { leaseUntil: 5 }),
    ];
    const calls: [number, string | null][] = [[first.id, "one"]];
    expect(await db.money({ verb: "progress", leaseUntil: 6, calls })).toBe("noted");
    await db.money({
      verb: "progress",
      leaseUntil: 7,
      calls: [
        [first.id, null],
        [second.id, "two"],
      ],
    });
    expect(
      (await reservations(account)).map((row) => [row.id, row.lease_until, row.progress]),
    ).toEqual([
      [first.id, 7, "one"],
      [second.id, 7, "two"],
      [third.id, 5, null],
    ]);
  });

  describe("grant", () => {
    const grant = (account: TestAccount, amount: number, id = db.mintId()) =>
      db.money({ verb: "grant", id, walletId: account.walletId, amount, at: 9 });

    test("credits and debits, also a single unit, each with its entry", async () => {
      const account = await createTestAccount(db, 0, [null]);
      const wallet = `wallet:${account.walletId}`;
      const [given, taken] = [db.mintId(), db.mintId()];
      expect(await grant(account, 1, given)).toBe("granted");
      expect(await grant(account, -1, taken)).toBe("granted");
      expect(await entriesOf(given)).toEqual([["grant", "issuance", wallet, 1]]);
      expect(await entriesOf(taken)).toEqual([["grant", wallet, "issuance", 1]]);
      const [entry] = await db.read(
        db.sql.selectFrom("ledger").selectAll().where("billing_id", "=", given),
      );
      expect(entry).toMatchObject({
        user_id: null,
        token_id: null,
        channel_id: null,
        created_at: 9,
      });
      expect(await walletOf(db, account)).toMatchObject({ balance: 0 });
      expect(await auditBooks(db)).toEqual([]);
    });

    test("takes back all units that are not held, and none of the held ones", async () => {
      const account = await createTestAccount(db, 100, [null]);
      await hold(account, 60);
      expect(await grant(account, -41)).toBe("insufficient_user_quota");
      expect(await grant(account, -40)).toBe("granted");
      expect(await walletOf(db, account)).toMatchObject({ balance: 60, held: 60 });
    });

    test("of zero units, and of an id that was granted before, is already done", async () => {
      const [account, other] = [
        await createTestAccount(db, 5, [null]),
        await createTestAccount(db, 5, [null]),
      ];
      const id = db.mintId();
      expect(await grant(account, 0)).toBe("already");
      expect(await grant(account, 10, id)).toBe("granted");
      expect(await grant(account, 10, id)).toBe("already");
      expect((await walletOf(db, account)).balance).toBe(15);
      expect((await walletOf(db, other)).balance).toBe(5);
    });

    test("is not considered done because another entry has its id", async () => {
      const account = await createTestAccount(db, 100, [null]);
      const { id } = await hold(account, 10);
      await db.money(settleOf(account, id, 10));
      expect(await grant(account, 7, id)).toBe("granted");
      expect((await walletOf(db, account)).balance).toBe(97);
    });
  });
});
