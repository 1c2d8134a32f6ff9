import { createTestAccount } from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { sql as raw } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { byReference, matchesKeyword, readPagedList } from "./paged-list.ts";

describe.each(testDatabases)("lists of a resource on $name", (database) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await database.open();
    await createTestAccount(storage.db, 0, [1, 2, 3, 4, 5]);
    const rename = (n: number, name: string) => ({
      query: storage.db.sql.updateTable("tokens").set({ name }).where("remain_quota", "=", n),
    });
    await storage.db.write([
      rename(1, "Alpha"),
      rename(2, "alphabet"),
      rename(3, "100%"),
      rename(4, "100x"),
      rename(5, "ÖL und Öl"),
    ]);
  });
  afterAll(() => storage.close());

  const listed = (
    query: Parameters<typeof readPagedList>[1]["query"] & { keyword?: string },
    findsIdsFirst = false,
  ) => {
    const { db } = storage;
    const found = db.sql
      .selectFrom("tokens")
      .where(matchesKeyword("tokens", ["name"], query.keyword));
    const sortColumns = { name: raw.ref("name"), status: raw.ref("status") };
    const idColumn = raw.ref("id");
    const all = { rows: found.select(["name", "uuid"]), counted: found.select("id") };
    return readPagedList(db, { ...all, sortColumns, idColumn, query, findsIdsFirst });
  };
  const names = async (query: Parameters<typeof listed>[0]) =>
    (await listed(query)).rows.map(({ name }) => name);

  test("a page is sorted by a named column, equals by id, and comes with the total of all pages", async () => {
    expect(await names({ sort: "name", order: "asc", size: 2, p: 1 })).toEqual([
      "Alpha",
      "alphabet",
    ]);
    expect(await listed({ size: 2, p: 2 })).toMatchObject({ rows: [{ name: "Alpha" }], total: 5 });
    expect(await names({ sort: "status", order: "desc", size: 2 })).toEqual(["ÖL und Öl", "100x"]);
    expect(await names({ sort: "no such column", size: 1 })).toEqual(["ÖL und Öl"]);
  });

  test("a page that is found by its ids first is the same page", async () => {
    for (const query of [
      { sort: "name", order: "asc", size: 2, p: 1 },
      { sort: "status", order: "desc", size: 2 },
      { keyword: "a", size: 1, p: 1 },
      { size: 2, p: 9 },
    ])
      expect(await listed(query, true), JSON.stringify(query)).toEqual(await listed(query));
  });

  test("a keyword finds a part of a name in any letter case, without patterns, an id, or a whole uuid", async () => {
    expect(await names({ keyword: "ALPHA", order: "asc" })).toEqual(["Alpha", "alphabet"]);
    expect(await names({ keyword: "HABE" })).toEqual(["alphabet"]);
    expect(await names({ keyword: "0%" })).toEqual(["100%"]);
    expect(await names({ keyword: "öl" })).toEqual(["ÖL und Öl"]);
    expect(await names({ keyword: "ÖL" })).toEqual(["ÖL und Öl"]);
    expect(await names({ keyword: "#1" })).toHaveLength(1);
    expect(await names({ keyword: "#999999" })).toEqual([]);
    const [row] = (await listed({ keyword: "100x" })).rows;
    expect(await names({ keyword: row?.uuid.toUpperCase() ?? "" })).toEqual(["100x"]);
  });

  test("a reference finds a row by id or by uuid", async () => {
    const { db } = storage;
    const tokens = db.sql.selectFrom("tokens").selectAll();
    const [first] = await db.read(tokens.orderBy("id").limit(1));
    if (!first) throw new Error("there is no token");
    for (const reference of [{ id: first.id }, { uuid: first.uuid }])
      expect(await db.read(tokens.where(byReference("tokens", reference)))).toEqual([first]);
  });
});
