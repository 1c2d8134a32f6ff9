// A database file that another program keeps locked, until it lets go.
import { DatabaseSync } from "node:sqlite";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import { testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { expect, test } from "vitest";
import { StorageUnavailable } from "./database.ts";
import { readSqliteFile } from "./open-database.ts";
import { unwritableAfterMs } from "./write-health.ts";

test("the gateway is unready while writes fail, and ready again by itself", async () => {
  const sqlite = testDatabases.find(({ name }) => name === "sqlite");
  if (!sqlite) throw new Error("SQLite is always there");
  const storage = await sqlite.open();
  const { db } = storage;
  const locker = new DatabaseSync(readSqliteFile(storage.config.dataDir));
  try {
    const write = () =>
      db.write([{ query: db.sql.insertInto("chores").values({ name: "one", due_at: 0 }) }]);
    expect(db.isWritable()).toBe(true);
    locker.exec("begin exclusive");
    await expect(write()).rejects.toBeInstanceOf(StorageUnavailable);
    await eventually(() => expect(db.isWritable()).toBe(false), {
      timeoutMs: 3 * unwritableAfterMs,
    });
    locker.exec("rollback");
    await eventually(() => expect(db.isWritable()).toBe(true), {
      timeoutMs: 3 * unwritableAfterMs,
    });
    await write();
  } finally {
    locker.close();
    await storage.close();
  }
});
