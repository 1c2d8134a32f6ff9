import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BackupError, backupSqlite, readPostgresDumpCommand } from "./backup.ts";
import { configureSqlite } from "./sqlite-connection.ts";

describe("a backup of a SQLite database", () => {
  let folder: string;
  let source: string;
  let target: string;
  let db: DatabaseSync;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-backup-"));
    source = join(folder, "tollgate.db");
    target = join(folder, "copy.db");
    db = configureSqlite(new DatabaseSync(source));
    db.exec("create table pairs (id integer primary key, one integer, other integer)");
    db.exec("insert into pairs (one, other) values (1, 1), (2, 2)");
  });
  afterEach(() => {
    db.close();
    rmSync(folder, { recursive: true });
  });
  const rowsOf = (file: string) => {
    const copy = new DatabaseSync(file, { readOnly: true });
    try {
      return copy.prepare("select one, other from pairs").all().length;
    } finally {
      copy.close();
    }
  };

  test("is a snapshot: it lacks what another connection has not committed, and does not wait for it", () => {
    db.exec("begin immediate; insert into pairs (one, other) values (3, 3)");
    expect(backupSqlite(source, target)).toBe(statSync(target).size);
    db.exec("commit");
    expect([rowsOf(target), rowsOf(source)]).toEqual([2, 3]);
  });

  test("is one file that only its owner may read, without a temporary file beside it", () => {
    backupSqlite(source, target);
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.startsWith("copy"))).toEqual(["copy.db"]);
  });

  test("contains no deleted data", () => {
    db.exec(
      "create table notes (text text); insert into notes values ('a word that was taken back')",
    );
    db.exec("delete from notes; pragma wal_checkpoint(truncate)");
    expect(readFileSync(source).includes("a word that was taken back")).toBe(true);
    backupSqlite(source, target);
    expect(readFileSync(target).includes("a word that was taken back")).toBe(false);
  });

  test("never overwrites a file", () => {
    writeFileSync(target, "yesterday's copy");
    expect(() => backupSqlite(source, target)).toThrow(/copy\.db exists/);
    expect(statSync(target).size).toBe("yesterday's copy".length);
  });

  test.each([
    [
      "no database",
      () => [join(folder, "none.db"), target],
      /no database at .*none\.db; set DATA_DIR/,
    ],
    [
      "no folder to write to",
      () => [source, join(folder, "none", "copy.db")],
      /folder of .* does not exist/,
    ],
  ])("is refused with the reason where there is %s", (_, files, reason) => {
    const [from = "", to = ""] = files();
    expect(() => backupSqlite(from, to)).toThrow(BackupError);
    expect(() => backupSqlite(from, to)).toThrow(reason);
  });

  test("of a damaged database is refused, and leaves no file that looks like a backup", () => {
    const insert = db.prepare("insert into pairs (one, other) values (?, ?)");
    db.exec("begin");
    for (let n = 0; n < 2_000; n += 1) insert.run(n, n);
    db.exec("commit");
    db.exec("pragma wal_checkpoint(truncate)");
    const pages = statSync(source).size / 4096;
    const file = openSync(source, "r+");
    for (let page = 2; page < pages; page += 1)
      writeSync(file, Buffer.alloc(200, 0xa5), 0, 200, page * 4096);
    closeSync(file);
    expect(() => backupSqlite(source, target)).toThrow(BackupError);
    expect(readdirSync(folder).filter((name) => name.startsWith("copy"))).toEqual([]);
  });
});

test.each([
  [
    "postgres://tollgate:s3cret@db.example.org:5433/books?sslmode=require",
    "/backups/a.dump",
    "pg_dump --format=custom --no-owner --file='/backups/a.dump' 'postgres://tollgate@db.example.org:5433/books?sslmode=require'",
  ],
  [
    "postgresql://h/b?user=u&password=s3cret",
    "it's.dump",
    `pg_dump --format=custom --no-owner --file='it'\\''s.dump' 'postgresql://h/b?user=u'`,
  ],
])("the command for PostgreSQL names everything but the password: %s", (url, target, command) => {
  expect(readPostgresDumpCommand(url, target)).toBe(command);
});
