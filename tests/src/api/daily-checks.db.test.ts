// What the gateway checks once a day, and what operators are told of it.

import { runDailyCheck } from "@tollgate/gateway/notices/alerts/daily-check.ts";
import { trailCheck } from "@tollgate/gateway/notices/alerts/trail-check.ts";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestAccount } from "../support/money-fixtures.ts";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import { type ManagementGateway, startManagementGateway } from "./management-gateway.ts";

const hourMs = 3_600_000;

describeVariants(testDatabases)("daily checks on $name", (database) => {
  let gateway: ManagementGateway;
  beforeEach(async () => {
    gateway = await startManagementGateway(database);
  });
  afterEach(() => gateway.close());

  const run = (text: string) =>
    gateway.db.write([{ query: { compile: () => sql.raw(text).compile(gateway.db.sql) } }]);
  const firing = async (rule: string) => {
    gateway.clock.now += 15_000;
    await gateway.alerts.fold();
    // The sign-in of yesterday has ended.
    const root = await gateway.signIn("root");
    const rows: { rule: string; text: string }[] = (await root("GET", "/api/alert/?state=firing"))
      .body.data;
    return rows.filter((row) => row.rule === rule);
  };
  const record = async (count: number) => {
    const entry = { at: 1, actorId: 1, address: "", action: "a", target: "", change: {} };
    for (let n = 0; n < count; n += 100)
      await gateway.db.write(Array.from({ length: 100 }, () => gateway.db.audit(entry)).flat());
  };
  const chore = async () =>
    (
      await gateway.db.read(
        gateway.db.sql
          .selectFrom("chores")
          .selectAll()
          .where("name", "=", "check the record of changes"),
      )
    )[0];

  describe("of the record of changes", () => {
    const check = (signal = new AbortController().signal) => gateway.alerts.checkTrail(signal);

    test("a changed entry is told once a day's check has found it, and no more when it is right again", async () => {
      await record(100);
      await check();
      expect(await firing("trail.broken")).toEqual([]);
      await run("update audit_entries set at = at + 1 where id = 50");
      await check();
      expect(await firing("trail.broken")).toEqual([]);
      gateway.clock.now += 24 * hourMs;
      await check();
      expect(await firing("trail.broken")).toMatchObject([
        { text: expect.stringContaining("entry 50 was changed") },
      ]);
      await run("update audit_entries set at = at - 1 where id = 50");
      gateway.clock.now += 24 * hourMs;
      await check();
      expect(await firing("trail.broken")).toEqual([]);
    });

    test("a trail whose end was cut off is told, also when it has grown again", async () => {
      await record(100);
      await check();
      await run("delete from audit_entries where id > 90");
      for (let day = 0; day < 2; day += 1) {
        gateway.clock.now += 24 * hourMs;
        await check();
        expect(await firing("trail.broken")).toMatchObject([
          { text: expect.stringMatching(/is gone|written anew/) },
        ]);
        await record(100);
      }
    });

    /** A check on a node of its own; `afterRead` runs after each statement that reads entries. */
    const checkOnNode = (afterRead: () => void, signal = new AbortController().signal) => {
      const { db, clock } = gateway;
      const read: Database["read"] = async (query) => {
        const rows = await db.read(query);
        if (query.compile().sql.includes("audit_entries")) afterRead();
        return rows;
      };
      const node = { sql: db.sql, mintId: () => db.mintId(), write: db.write, read };
      return runDailyCheck({ db: node, clock: () => clock.now, signal }, trailCheck(node));
    };

    test("a check that is stopped goes on where it was, on whichever node", async () => {
      await record(1_100);
      const stopping = new AbortController();
      await checkOnNode(() => stopping.abort(), stopping.signal);
      expect(JSON.parse((await chore())?.progress ?? "")).toMatchObject({ at: { entries: 1_000 } });
      // Of what the check has passed it sees nothing until the next day.
      await run("update audit_entries set at = at + 1 where id = 50");
      await check();
      expect(await firing("trail.broken")).toEqual([]);
      gateway.clock.now += 24 * hourMs;
      await check();
      expect(await firing("trail.broken")).toHaveLength(1);
    });

    test("of several nodes one checks", async () => {
      await record(100);
      let reads = 0;
      await Promise.all([1, 2, 3].map(() => checkOnNode(() => (reads += 1))));
      expect(reads).toBe(2);
    });

    test("a check that fails is due at once", async () => {
      const failing = checkOnNode(() => {
        throw new Error("no disk");
      });
      await expect(failing).rejects.toThrow("no disk");
      expect(await chore()).toMatchObject({ due_at: gateway.clock.now });
    });

    test("the rule that is off costs nothing", async () => {
      const root = await gateway.signIn("root");
      await root("PUT", "/api/option/", {
        body: { key: "AlertRules", value: `{"trail.broken":{"enabled":false}}` },
      });
      await check();
      expect(await chore()).toMatchObject({ due_at: 0, progress: "" });
    });
  });

  describe("of the books", () => {
    test("a balance that the ledger does not prove is told, until the books agree", async () => {
      const check = () => gateway.alerts.checkBooks(new AbortController().signal);
      const { walletId } = await createTestAccount(gateway.db, 1_000, [null]);
      await check();
      expect(await firing("ledger.drift")).toEqual([]);
      await run(`update wallets set balance = balance + 1 where id = ${walletId}`);
      gateway.clock.now += 24 * hourMs;
      await check();
      const text = expect.stringContaining(`wallet ${walletId}: stored 1001, proved 1000`);
      expect(await firing("ledger.drift")).toMatchObject([{ text }]);
      await run(`update wallets set balance = balance - 1 where id = ${walletId}`);
      gateway.clock.now += 24 * hourMs;
      await check();
      expect(await firing("ledger.drift")).toEqual([]);
    });
  });
});
