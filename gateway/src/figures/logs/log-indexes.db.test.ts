import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import type { CompiledQuery } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../storage/database.ts";
import { consume, type LogRowFilter } from "./log-filter.ts";
import { logStore } from "./log-store.ts";

// SQLite says which index a statement reads, however few rows there are.
const database = testDatabases.find(({ name }) => name === "sqlite");
let storage: TestDatabase | undefined;
beforeAll(async () => {
  storage = await database?.open();
});
afterAll(() => storage?.close());

const filter: LogRowFilter = { from: 0, to: Date.UTC(2026, 10, 20), type: consume };

/** The first statement of a question. */
async function askedOf(
  ask: (logs: ReturnType<typeof logStore>) => Promise<unknown>,
  { db }: TestDatabase,
) {
  const statements: CompiledQuery[] = [];
  const read: Database["read"] = (query) => {
    statements.push(query.compile());
    return db.read(query);
  };
  await ask(logStore({ sql: db.sql, read }));
  const [asked] = statements;
  if (!asked) throw new Error("Nothing was asked.");
  return asked;
}

test("a page of an export has one bound at each end: of two, SQLite would read all rows from one to the other", async () => {
  if (!storage) throw new Error("SQLite is missing.");
  const { sql } = await askedOf(
    (logs) => logs.older({ from: 0, to: filter.to }, 9_000, 1_000, 10),
    storage,
  );
  expect(sql.match(/"id" [<>]=? /g)).toEqual(['"id" >= ', '"id" < ']);
});

test("a step of a removal has one bound, and so has the search for it", () => {
  if (!storage) throw new Error("SQLite is missing.");
  const { query } = logStore(storage.db).removeSome("logs", 9_000);
  expect(query.compile().sql.match(/"id" [<>]=? /g)).toEqual(['"id" <= ', '"id" < ']);
});

test.each([
  ["the sum of a user's calls", "logs_user_id", (logs) => logs.sum({ ...filter, userId: 1 })],
  ["the count of a user's calls", "logs_user_id", (logs) => logs.count({ ...filter, userId: 1 })],
  [
    "the count of a channel's calls of one model",
    "logs_channel_id",
    (logs) => logs.count({ ...filter, channelId: 1, model: "m" }),
  ],
] as const satisfies [string, string, (logs: ReturnType<typeof logStore>) => Promise<unknown>][])(
  "%s reads the index alone, whose rows stand together",
  async (_, index, ask) => {
    if (!storage) throw new Error("SQLite is missing.");
    const asked = await askedOf(ask, storage);
    const explained = { ...asked, sql: `explain query plan ${asked.sql}` };
    const plan = (await storage.db.read({ compile: () => explained })) as { detail: string }[];
    expect(plan.map(({ detail }) => detail).join("\n")).toContain(`USING COVERING INDEX ${index}`);
  },
);
