import { testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { expect, test } from "vitest";
import { followClock, readIdTimes } from "./id-clock.ts";
import { openDatabase } from "./open-database.ts";
import { computeIdFloor, computeIdTime } from "./time-ids.ts";

const day = 86_400_000;
const minute = 60_000;

test.each(testDatabases)(
  "rows made after a start on a log of tomorrow are shown with their right time: $name",
  async ({ open }) => {
    const storage = await open();
    const tomorrow = computeIdFloor(Date.now() + day);
    const { sql } = storage.db;
    const entry = {
      kind: "opening",
      debit: "carried",
      credit: "wallet:1",
      amount: 1,
      created_at: 1,
    } as const;
    await storage.db.write([
      { query: sql.insertInto("ledger").values({ ...entry, billing_id: tomorrow }) },
    ]);
    await storage.db.close();
    const fail = (error: Error) => {
      throw error;
    };
    const made: number[] = [];
    for (let start = 0; start < 2; start += 1) {
      const db = await openDatabase(storage.config, { onError: fail, onFatal: fail });
      await followClock(db);
      made.push(db.mintId());
      const timeOf = await readIdTimes(db);
      for (const id of made) {
        expect(computeIdTime(id)).toBeGreaterThan(Date.now() + day - minute);
        expect(Math.abs(timeOf(id) - Date.now())).toBeLessThan(minute);
      }
      expect(timeOf(tomorrow)).toBe(computeIdTime(tomorrow));
      const spans = await db.read(db.sql.selectFrom("clock_spans").select("started_at"));
      expect(spans).toHaveLength(1);
      await db.close();
    }
    expect(made[1]).toBeGreaterThan(made[0] ?? 0);
    await storage.close().catch(() => undefined);
  },
);
