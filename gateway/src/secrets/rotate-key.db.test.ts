import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fillEncryptedColumns, readDecrypted } from "@tollgate/tests/support/encrypted-fixtures.ts";
import { describeLarge } from "@tollgate/tests/support/large-tests.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../storage/open-database.ts";
import { countEncrypted, encryptedColumnList } from "./reencrypt.ts";
import { isRotationUnfinished, type RotationKeys, rotateKey } from "./rotate-key.ts";
import { createSealer, readKeyId } from "./seal.ts";

const before = randomBytes(32);
const after = randomBytes(32);
const now = Date.UTC(2026, 10, 21);
const sealedInAll = 29;

describeLarge(testDatabases)("changing the master key of a database on $name", (database) => {
  let storage: TestDatabase;
  let folder: string;
  beforeEach(async () => {
    storage = await database.open();
    folder = mkdtempSync(join(tmpdir(), "tollgate-key-"));
  });
  afterEach(async () => {
    await storage.close();
    rmSync(folder, { recursive: true });
  });

  const file = (name = "master.key") => join(folder, name);
  const keyIn = (name?: string) => readFileSync(file(name), "utf8").trim();
  const put = (key: Uint8Array, name?: string) =>
    writeFileSync(file(name), `${Buffer.from(key).toString("base64")}\n`, { mode: 0o600 });
  const fromFile = (): RotationKeys => ({
    dataDir: folder,
    current: Buffer.from(keyIn(), "base64"),
    isCurrentFromEnvironment: false,
    next: undefined,
  });
  const given = (next: Uint8Array | undefined): RotationKeys => ({
    dataDir: folder,
    current: before,
    isCurrentFromEnvironment: true,
    next,
  });
  const run = (keys: RotationKeys) => rotateKey(storage.db, keys, now);
  const audited = () =>
    storage.db.read(storage.db.sql.selectFrom("audit_entries").select(["action", "target"]));
  /** Fails midway like a killed process: earlier writes stay. */
  const breakOff = async (keys: RotationKeys) => {
    const { db } = storage;
    let batches = 0;
    const dying: typeof db = {
      ...db,
      write(batch, options) {
        batches += 1;
        return batches > 4 ? Promise.reject(new Error("killed")) : db.write(batch, options);
      },
    };
    await expect(rotateKey(dying, keys, now)).rejects.toThrow("killed");
  };
  const counts = async () => ({
    before: (await countEncrypted(storage.db, createSealer(before))).ours,
    others: (await countEncrypted(storage.db, createSealer(before))).others,
  });

  test("everything readable stays readable, and nothing is sealed with the old key any more", async () => {
    const { db } = storage;
    put(before);
    await fillEncryptedColumns(db, createSealer(before), 450);
    const readable = await readDecrypted(db, createSealer(before));
    expect(Object.keys(readable)).toHaveLength(sealedInAll - 1 + 451);

    const done = await run(fromFile());
    const made = Buffer.from(keyIn(), "base64");
    expect(done).toEqual({
      sealed: sealedInAll - 1 + 451,
      unreadable: 0,
      from: readKeyId(before),
      to: readKeyId(made),
      isInFile: true,
    });
    expect(await readDecrypted(db, createSealer(made))).toEqual(readable);
    expect(await readDecrypted(db, createSealer(before))).toEqual({});
    const named = await db.read(db.sql.selectFrom("database_key").select("key_id"));
    expect(named).toEqual([{ key_id: readKeyId(made) }]);
    expect(await audited()).toEqual([{ action: "master_key.rotate", target: readKeyId(made) }]);
    expect(await isRotationUnfinished(db)).toBe(false);
  });

  test("the new key replaces the file of the old one, for its owner only, and the old one is kept beside it", async () => {
    put(before);
    await fillEncryptedColumns(storage.db, createSealer(before));
    await run(fromFile());
    const old = `master.key.old-${readKeyId(before)}`;
    expect(readdirSync(folder).sort()).toEqual(["master.key", old]);
    expect(keyIn(old)).toBe(before.toString("base64"));
    for (const name of ["master.key", old]) expect(statSync(file(name)).mode & 0o777).toBe(0o600);
  });

  test("a key from the environment is used, and not written to a file when the current one comes from there too", async () => {
    await fillEncryptedColumns(storage.db, createSealer(before));
    expect(await run(given(after))).toMatchObject({ to: readKeyId(after), isInFile: false });
    expect(readdirSync(folder)).toEqual([]);

    put(after);
    const third = randomBytes(32);
    expect(await run({ ...fromFile(), next: third })).toMatchObject({
      to: readKeyId(third),
      isInFile: true,
    });
    expect(keyIn()).toBe(third.toString("base64"));
  });

  test.each([
    ["from a file to one that is made", () => fromFile()],
    ["from a file to one that is given", () => ({ ...fromFile(), next: after })],
    ["from the environment to one that is made", () => given(undefined)],
    ["from the environment to one that is given", () => given(after)],
  ])("a change %s that was broken off is finished by the next run", async (_, keys) => {
    const { db } = storage;
    put(before);
    await fillEncryptedColumns(db, createSealer(before), 250);
    const readable = await readDecrypted(db, createSealer(before));
    const total = Object.keys(readable).length;
    await breakOff(keys());
    const halfway = await counts();
    expect(halfway.before).toBeGreaterThan(0);
    expect(halfway.others).toBeGreaterThan(0);
    expect(await isRotationUnfinished(db)).toBe(true);
    const { to } = await run(keys());
    const made = [after, Buffer.from(keyIn(), "base64")].find((key) => readKeyId(key) === to);
    expect(await readDecrypted(db, createSealer(made ?? before))).toEqual(readable);
    expect(await counts()).toEqual({ before: 0, others: total });
    expect(await isRotationUnfinished(db)).toBe(false);
  });

  test("one that was interrupted after the files had changed is completed too", async () => {
    const { db } = storage;
    put(before);
    await fillEncryptedColumns(db, createSealer(before));
    const dying: typeof db = {
      ...db,
      write: (batch, options) =>
        batch.length > 1 &&
        readdirSync(folder).length === 2 &&
        !readdirSync(folder).includes("master.key.next")
          ? Promise.reject(new Error("killed"))
          : db.write(batch, options),
    };
    await expect(rotateKey(dying, fromFile(), now)).rejects.toThrow("killed");
    const made = keyIn();
    expect(made).not.toBe(before.toString("base64"));
    expect(await isRotationUnfinished(db)).toBe(true);
    expect(await run(fromFile())).toMatchObject({
      sealed: sealedInAll,
      from: readKeyId(before),
      isInFile: true,
    });
    expect(keyIn()).toBe(made);
    expect(await isRotationUnfinished(db)).toBe(false);
  });

  describe("is refused, and nothing changes,", () => {
    const sealed = async () => ({ ...(await counts()), entries: (await audited()).length });

    test("with another key than the database's", async () => {
      await fillEncryptedColumns(storage.db, createSealer(before));
      const found = await sealed();
      const wrong = randomBytes(32);
      await expect(run({ ...given(after), current: wrong })).rejects.toThrow(
        `this database belongs to the master key ${readKeyId(before)}, and the one at hand is ${readKeyId(wrong)}; put`,
      );
      expect(await sealed()).toEqual(found);
      expect(readdirSync(folder)).toEqual([]);
      expect(await isRotationUnfinished(storage.db)).toBe(false);
    });

    test("to the same key", async () => {
      await fillEncryptedColumns(storage.db, createSealer(before));
      await expect(run(given(before))).rejects.toThrow(/NEW_MASTER_KEY is the master key already/);
      expect(await isRotationUnfinished(storage.db)).toBe(false);
    });

    test("to another key than the one of the interrupted run, until that one is available", async () => {
      await fillEncryptedColumns(storage.db, createSealer(before), 250);
      await breakOff(given(after));
      const found = await sealed();
      for (const next of [undefined, randomBytes(32)])
        await expect(run(given(next))).rejects.toThrow(
          /needs its new key .* set it as NEW_MASTER_KEY or put it back/,
        );
      await expect(run({ ...given(after), current: randomBytes(32) })).rejects.toThrow(
        /is neither; put back the one/,
      );
      await expect(run({ ...given(after), current: after })).rejects.toThrow(
        /still sealed with the key before/,
      );
      expect(await sealed()).toEqual(found);
      expect(await run(given(after))).toMatchObject({ to: readKeyId(after) });
    });

    test("when a value does not decrypt, which it names", async () => {
      const { db } = storage;
      await fillEncryptedColumns(db, createSealer(before));
      const damaged = `${createSealer(before).prefix}${"A".repeat(60)}`;
      await db.write([
        {
          query: db.sql
            .updateTable("options")
            .set({ value: damaged })
            .where("key", "=", "SMTPToken"),
          rows: 1,
        },
      ]);
      await expect(run(given(after))).rejects.toThrow(/^options\/value\/SMTPToken does not open/);
      await db.write([
        { query: db.sql.deleteFrom("options").where("key", "=", "SMTPToken"), rows: 1 },
      ]);
      expect(await run(given(after))).toMatchObject({ sealed: sealedInAll - 1 });
    });

    // A SQLite file has only one process.
    const shared = database.name === "postgres" ? test : undefined;
    shared?.("while another process uses the database", async () => {
      const fail = (error: Error) => {
        throw error;
      };
      await fillEncryptedColumns(storage.db, createSealer(before));
      const found = await sealed();
      const other = await openDatabase(storage.config, { onError: fail, onFatal: fail });
      await expect(run(given(after))).rejects.toThrow(
        /other processes use this database \(1\); stop every gateway/,
      );
      expect(await sealed()).toEqual(found);
      expect(await isRotationUnfinished(other)).toBe(false);
      await other.close();
      await run(given(after));
    });
  });

  test("values sealed with an older key stay unchanged and are counted", async () => {
    const { db } = storage;
    await fillEncryptedColumns(db, createSealer(before));
    const foreign = createSealer(randomBytes(32)).seal(
      "option-secret",
      "options/value/ResendAPIKey",
      "lost",
    );
    const value = { key: "ResendAPIKey", value: foreign, updated_at: now };
    await db.write([{ query: db.sql.insertInto("options").values(value) }]);
    expect(await run(given(after))).toMatchObject({ sealed: sealedInAll, unreadable: 1 });
    const [stored] = await db.read(
      db.sql.selectFrom("options").select("value").where("key", "=", "ResendAPIKey"),
    );
    expect(stored?.value).toBe(foreign);
  });

  test("every column named sealed, and every sealed text, is in the list", {
    tags: ["F-103"],
  }, async () => {
    const { db } = storage;
    const listed = encryptedColumnList.map(([, { table, column }]) => `${table}.${column}`).sort();
    await fillEncryptedColumns(db, createSealer(before));
    const catalogue =
      db.dialect === "sqlite"
        ? `select tables.name || '.' || columns.name as name from sqlite_schema as tables,
             pragma_table_info(tables.name) as columns where tables.type = 'table' and columns.type = 'TEXT' collate nocase`
        : `select table_name || '.' || column_name as name from information_schema.columns
           where table_schema = current_schema() and data_type = 'text'`;
    const ask = <Row>(text: string) =>
      db.read<Row>({ compile: () => sql.raw<Row>(text).compile(db.sql) });
    const columns = (await ask<{ name: string }>(catalogue)).map(({ name }) => name);
    expect(columns.length).toBeGreaterThan(60);
    const sealed: string[] = [];
    for (const name of columns) {
      const [table, column] = name.split(".");
      const text = `select count(*) as count from "${table}" where substr("${column}", 1, 12) = '${createSealer(before).prefix}'`;
      const [found] = await ask<{ count: number }>(text);
      if ((found?.count ?? 0) > 0) sealed.push(name);
    }
    expect(sealed.sort()).toEqual(listed);
    expect(columns.filter((name) => /seal/.test(name) && !listed.includes(name))).toEqual([]);
  });
});
