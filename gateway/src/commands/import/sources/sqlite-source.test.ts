import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openFamilySource } from "../family/family-source.ts";
import { buildRows, ImportRefused, textBytesMax } from "./source-tables.ts";
import { openSqliteSource } from "./sqlite-source.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-source-"));
  file = join(folder, "one-api.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

function create(...statements: string[]): void {
  const db = new DatabaseSync(file);
  for (const statement of statements) db.exec(statement);
  db.close();
}

async function rowsIn(
  table: string,
  columns: readonly string[],
): Promise<Readonly<Record<string, unknown>>[]> {
  const source = openSqliteSource(file);
  try {
    const rows = [];
    for await (const page of buildRows(source, table, { columns, key: "id", limit: 2 }))
      rows.push(...page);
    return rows;
  } finally {
    await source.close();
  }
}

test.each(["delete", "wal"])(
  "reading a file in mode %s changes no byte of it, and leaves nothing beside it",
  async (mode) => {
    create(
      `pragma journal_mode = ${mode}`,
      "create table t (id integer primary key, a text)",
      "insert into t (a) values ('x'), ('y'), ('z')",
    );
    const digest = () => createHash("sha256").update(readFileSync(file)).digest("hex");
    const before = digest();
    expect(await rowsIn("t", ["a", "missing"])).toEqual([
      { id: 1n, a: "x" },
      { id: 2n, a: "y" },
      { id: 3n, a: "z" },
    ]);
    expect(digest()).toBe(before);
    expect(readdirSync(folder)).toEqual(["one-api.db"]);
  },
);

test("what a running system has written to its log is read too", async () => {
  create("pragma journal_mode = wal", "create table t (id integer primary key, a text)");
  const running = new DatabaseSync(file);
  running.exec("insert into t (a) values ('late')");
  expect(await rowsIn("t", ["a"])).toEqual([{ id: 1n, a: "late" }]);
  running.close();
});

describe("a hostile file", () => {
  test("runs nothing: views, virtual tables and generated columns are not read", async () => {
    create(
      "create view users as with recursive n(i) as (select 1 union all select i + 1 from n) select i as id from n",
      "create virtual table tokens using fts5(id)",
      "create table channels (id integer primary key, endless as (hex(zeroblob(1000000000))))",
    );
    expect(await rowsIn("users", ["id"])).toEqual([]);
    expect(await rowsIn("tokens", ["id"])).toEqual([]);
    const source = openSqliteSource(file);
    expect(await source.columns("channels")).toEqual(new Set(["id"]));
    await source.close();
  });

  test("a field that is too long, or of bytes, comes as nothing", async () => {
    create(
      "create table t (id integer primary key, a)",
      `insert into t (a) values (hex(zeroblob(${textBytesMax}))), (zeroblob(10)), ('short'), (1.5)`,
    );
    expect((await rowsIn("t", ["a"])).map(({ a }) => a)).toEqual([null, null, "short", 1.5]);
  });

  test.each([
    ["no database", Buffer.from("not a database at all, but long enough")],
    ["empty", Buffer.alloc(0)],
    ["only a header", Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(84, 255)])],
  ])("that is %s is refused with a reason", async (_, bytes) => {
    writeFileSync(file, bytes);
    const open = async () => openFamilySource(openSqliteSource(file), { now: 0 });
    await expect(open()).rejects.toThrow(ImportRefused);
  });

  test("that is damaged in the middle is refused, not half read in silence", async () => {
    create("create table t (id integer primary key, a text)");
    const db = new DatabaseSync(file);
    const insert = db.prepare("insert into t (a) values (?)");
    db.exec("begin");
    for (let row = 0; row < 2_000; row += 1) insert.run("x".repeat(50));
    db.exec("commit");
    db.close();
    const bytes = readFileSync(file);
    bytes.fill(0xff, 8_192, bytes.length - 4_096);
    writeFileSync(file, bytes);
    await expect(rowsIn("t", ["a"])).rejects.toThrow(ImportRefused);
  });

  test("of another system is refused with the columns that it lacks", async () => {
    create("create table users (id integer primary key, email text)");
    await expect(openFamilySource(openSqliteSource(file), { now: 0 })).rejects.toThrow(
      /lacks users\.username/,
    );
  });

  test("that does not exist is refused", () => {
    expect(() => openSqliteSource(join(folder, "nothing.db"))).toThrow(ImportRefused);
  });
});
