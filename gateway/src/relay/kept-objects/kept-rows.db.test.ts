import { randomBytes } from "node:crypto";
import { createTestAccount } from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSealer } from "../../secrets/seal.ts";
import { createKeptObjectStore } from "./kept-object-store.ts";
import { createUploadSessions, openUploadsMax } from "./upload-sessions.ts";

const hour = 3_600_000;
const start = Date.UTC(2026, 10, 22);

describe.each(testDatabases)("what is kept for a while on $name", ({ open }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  test("rows of objects that providers end by themselves go after them, and others stay", async () => {
    const { db } = database;
    const store = createKeptObjectStore(db);
    const ages = {
      gemini_file: [60, 80],
      cache: [80, 800],
      container: [800],
      conversation: [8_000],
    };
    const rows = Object.entries(ages).flatMap(([kind, hours]) =>
      hours.map((age) => ({ kind, age })),
    );
    await db.write(
      rows.map(({ kind, age }, at) =>
        store.insert({
          id: at + 1,
          object_id: `${kind} ${age}`,
          channel_id: 1,
          kind,
          user_id: 1,
          team_id: 0,
          created_at: start - age * hour,
        }),
      ),
    );
    await db.write([store.sweep(start)]);
    const left = await db.read(
      db.sql.selectFrom("provider_objects").select("object_id").orderBy("id"),
    );
    expect(left.map(({ object_id }) => object_id)).toEqual([
      "gemini_file 60",
      "cache 80",
      "conversation 8000",
    ]);
  });

  test("an upload is found by its secret alone, for a day", async () => {
    const { db } = database;
    let now = start;
    const seal = createSealer(randomBytes(32));
    const callerOfToken = async () => undefined;
    const uploads = createUploadSessions({ db, seal, callerOfToken, now: () => now });
    const query = new URLSearchParams({ upload_id: "the provider's" });
    const { userId } = await createTestAccount(db, 1, [null]);
    const session = {
      user_id: userId,
      team_id: 0,
      token_id: 1,
      channel_id: 2,
      key_hash: "k",
      bytes: 9,
    };
    const id = (await uploads.begin({ ...session, query })) ?? "";
    expect(await uploads.find(id)).toMatchObject(session);
    expect((await uploads.find(id))?.query.toString()).toBe(query.toString());
    const [stored] = await db.read(db.sql.selectFrom("provider_uploads").selectAll());
    expect(await uploads.find(stored?.id_hash ?? "")).toBeUndefined();
    now += 24 * hour;
    expect(await uploads.find(id)).toBeUndefined();
    expect(await uploads.count({ userId, teamId: 0 })).toBe(1);
    await db.write([uploads.sweep(now + 1)]);
    expect(await uploads.count({ userId, teamId: 0 })).toBe(0);
  });

  test("of uploads that begin at once, no more are open than a user may have", async () => {
    const { db } = database;
    const { userId } = await createTestAccount(db, 1, [null]);
    const seal = createSealer(randomBytes(32));
    const uploads = createUploadSessions({
      db,
      seal,
      callerOfToken: async () => undefined,
      now: () => start,
    });
    const session = {
      user_id: userId,
      team_id: 0,
      token_id: 1,
      channel_id: 2,
      key_hash: "k",
      bytes: 9,
    };
    const begin = () => uploads.begin({ ...session, query: new URLSearchParams() });
    const begun = await Promise.all(Array.from({ length: openUploadsMax + 20 }, begin));
    expect(begun.filter((id) => id === undefined)).toHaveLength(20);
    expect(await uploads.count({ userId, teamId: 0 })).toBe(openUploadsMax);
    const [one] = begun.filter((id) => id !== undefined);
    const ended = await uploads.find(one ?? "");
    if (ended) await uploads.forget(ended);
    expect(await begin()).toBeTypeOf("string");
  });
});
