import { DatabaseSync } from "node:sqlite";
import { describeLarge } from "@tollgate/tests/support/large-tests.ts";
import {
  createOldDatabase,
  inPostgres,
  type OldDatabase,
  oldMasterKey,
} from "@tollgate/tests/support/old-databases.ts";
import { openDatabaseReader, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSealer } from "../../secrets/seal.ts";
import { type DatabaseState, readDatabaseState } from "../../storage/database-state.ts";
import { migrations } from "../../storage/migration-list.ts";
import { openDatabase, readSqliteFile } from "../../storage/open-database.ts";
import { buildDoctorReport } from "./doctor-report.ts";

const throwError = (error: Error): void => {
  throw error;
};

describeLarge(testDatabases)("doctor on a $name database", ({ name }) => {
  let old: OldDatabase;
  beforeEach(async () => {
    old = await createOldDatabase(name);
  });
  afterEach(() => old.remove());

  const examine = async ({
    masterKey = oldMasterKey,
    freeBytes = 1e12,
    now = Date.now(),
    changed = {} as Partial<DatabaseState>,
  } = {}) => {
    const state = { ...(await readDatabaseState(old.config)), ...changed };
    return buildDoctorReport({
      state,
      place: "/data/tollgate.db",
      freeBytes: name === "sqlite" ? freeBytes : undefined,
      seal: createSealer(masterKey),
      notes: ["SQL_DSN was read as DATABASE_URL"],
      warnings: ["Redis does not answer"],
      now,
    });
  };
  const upgrade = async (): Promise<void> =>
    (await openDatabase(old.config, { onError: throwError, onFatal: throwError })).close();
  const recorded = async () => {
    const reader = await openDatabaseReader(old.config);
    try {
      return await reader.rows<{ id: number; checksum: string }>(
        "select id, checksum from migrations order by id",
      );
    } finally {
      await reader.close();
    }
  };
  const change = async (text: string): Promise<void> => {
    const { dataDir, databaseUrl } = old.config;
    if (databaseUrl) {
      await inPostgres(databaseUrl, (client) => client.query(text));
      return;
    }
    const db = new DatabaseSync(readSqliteFile(dataDir));
    db.exec(text);
    db.close();
  };

  test("of an older version tells each migration that the start would run, and runs none", async () => {
    const before = await recorded();
    const { lines, exitCode } = await examine();
    expect(exitCode).toBe(2);
    const told = lines.find((line) => line.includes("migrates in one transaction"));
    for (const { id, name } of migrations.slice(1)) expect(told).toContain(`${id} ${name}`);
    expect(lines.join("\n")).toMatch(
      name === "sqlite" ? /copies the database .* to .*\.before-13/ : /make a backup/,
    );
    expect(lines).toContain("note     SQL_DSN was read as DATABASE_URL");
    expect(await recorded()).toEqual(before);
  });

  test("names clocks that differ, and calls of the future", async () => {
    const { newestEntryAt } = await readDatabaseState(old.config);
    if (newestEntryAt === undefined) throw new Error("the old database has no call");
    const ahead = (minutes: number) => examine({ now: newestEntryAt - minutes * 60_000 });
    expect((await ahead(5)).lines.join("\n")).not.toContain("clock");
    const some = await ahead(60);
    expect(some.lines.join("\n")).toContain(
      "warning  the newest entry in the database is 3600 s ahead of the clock: set",
    );
    expect(some.exitCode).toBe(2);
    const much = await ahead(61);
    expect(much.lines.join("\n")).toMatch(
      /problem {2}the newest entry in the database is 3660 s.*--accept-future-ids/,
    );
    expect(much.exitCode).toBe(1);
    const behind = await examine({ changed: { clockAheadMs: -25_000 } });
    expect(behind.lines.join("\n")).toContain(
      "is 25 s ahead of that of the database server: set both by NTP",
    );
    expect((await examine()).lines.join("\n")).not.toContain("clock");
  });

  test("names a disk that is nearly full, the server's version, and what only warns", async () => {
    await upgrade();
    const { lines, exitCode } = await examine({ freeBytes: 499_000_000 });
    const isOnDisk = name === "sqlite";
    expect(lines.join("\n").includes("only 499.0 MB are free")).toBe(isOnDisk);
    expect(exitCode).toBe(isOnDisk ? 1 : 0);
    expect(lines[0]).toMatch(isOnDisk ? /\(SQLite \d/ : /\(PostgreSQL \d/);
    expect(lines).toContain("warning  Redis does not answer");
  });

  test("that was upgraded finds nothing to change", async () => {
    await upgrade();
    const { lines, exitCode } = await examine();
    expect(exitCode).toBe(0);
    expect(lines[0]).toContain(
      `the schema ${migrations.at(-1)?.id}, which is that of this program`,
    );
  });

  test("names another master key and, on SQLite, a disk without room for the copy", async () => {
    const { lines, exitCode } = await examine({
      masterKey: new Uint8Array(32).fill(9),
      freeBytes: 10,
    });
    expect(exitCode).toBe(1);
    const problems = lines.filter((line) => line.startsWith("problem"));
    expect(problems.join("\n")).toContain("sealed with another master key");
    expect(problems).toHaveLength(name === "sqlite" ? 2 : 1);
  });

  test("names both master keys where the database names another", async () => {
    await upgrade();
    await change("insert into database_key (place, key_id) values (1, '0badcafe')");
    const { lines, exitCode } = await examine();
    expect(exitCode).toBe(1);
    const problems = lines.filter((line) => line.startsWith("problem"));
    const { keyId } = createSealer(oldMasterKey);
    expect(problems).toEqual([
      expect.stringContaining(
        `belongs to the master key 0badcafe, and the one of this environment is ${keyId}`,
      ),
    ]);
  });

  test("of a newer version is refused in the words of a start", async () => {
    await upgrade();
    await change("update migrations set id = 9999 where id = (select max(id) from migrations)");
    await expect(examine()).rejects.toThrow(/upgraded by a newer Tollgate/);
  });
});
