import { createHash } from "node:crypto";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkTrail, type TrailHead } from "./audit-chain.ts";

const written = 12;
const removed =
  /^entry 6 does not follow entry 4: entries were removed, put in between or put in another order$/;

describe.each(testDatabases)("the record of changes on $name", (database) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await database.open();
  });
  beforeEach(async () => {
    const isSqlite = database.name === "sqlite";
    await run(isSqlite ? "delete from audit_entries" : "truncate audit_entries restart identity");
    if (isSqlite) await run("delete from sqlite_sequence where name = 'audit_entries'");
    await append(written);
  });
  afterAll(() => storage.close());

  const append = async (count: number) => {
    const { db } = storage;
    for (let n = 1; n <= count; n += 1) {
      const change = { from: n, to: { 7: "ü 🌊", "a\n": [null, 1.5, -0] }, "": "雪\\" };
      await db.write(
        db.audit({ at: n, actorId: 1, address: "::1", action: "user.update", target: "t", change }),
      );
    }
  };
  const run = (text: string) =>
    storage.db.write([{ query: { compile: () => sql.raw(text).compile(storage.db.sql) } }]);
  const headNow = async (): Promise<TrailHead> => {
    const { head } = await checkTrail(storage.db);
    if (!head) throw new Error("the trail is empty");
    return head;
  };
  /** A forged entry with a valid hash, as an attacker who knows the chain would write it. */
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

  test("is valid, also with more entries than one read returns", async () => {
    expect(await checkTrail(storage.db)).toEqual({
      entries: written,
      head: expect.objectContaining({ id: written }),
    });
    const { db } = storage;
    const entry = { at: 1, actorId: 1, address: "", action: "a", target: "", change: {} };
    for (let n = 0; n < 11; n += 1)
      await db.write(Array.from({ length: 100 }, () => db.audit(entry)).flat());
    expect(await checkTrail(storage.db)).toMatchObject({
      entries: written + 1_100,
      head: { id: written + 1_100 },
    });
  });

  test("is valid when it is empty", async () => {
    const empty = await database.open();
    expect(await checkTrail(empty.db)).toEqual({ entries: 0 });
    await empty.close();
  });

  test.each([
    ["who did it", "update audit_entries set actor_id = 9 where id = 5", /^entry 5 was changed/],
    ["when", "update audit_entries set at = at + 1 where id = 5", /^entry 5 was changed/],
    [
      "what",
      `update audit_entries set change = replace(change, '5', '6') where id = 5`,
      /^entry 5 was changed/,
    ],
    [
      "a space",
      `update audit_entries set change = replace(change, ':', ': ') where id = 5`,
      /^entry 5 was changed/,
    ],
    [
      "what is no JSON",
      "update audit_entries set change = '\"' where id = 5",
      /^entry 5 was changed/,
    ],
    [
      "a hash",
      "update audit_entries set hash = previous_hash where id = 5",
      /^entry 5 was changed/,
    ],
    ["a removed entry", "delete from audit_entries where id = 5", removed],
    [
      "a removed beginning",
      "delete from audit_entries where id <= 2",
      /^entry 3 is not the first one that was written/,
    ],
    [
      "an entry that came back elsewhere",
      "update audit_entries set id = 100 where id = 5",
      removed,
    ],
    [
      "two in another order",
      "update audit_entries set id = case id when 5 then 1006 when 6 then 1005 else id end",
      /^entry 7 does not follow entry 4/,
    ],
    [
      "an entry that is there twice",
      `insert into audit_entries (id, at, actor_id, address, action, target, change, previous_hash, hash)
         select 1000, at, actor_id, address, action, target, change, previous_hash, hash from audit_entries where id = 5`,
      /^entry 1000 does not follow entry 12/,
    ],
  ])("detects %s, and names the first invalid entry", async (_, statement, expectedFault) => {
    await run(statement);
    const { fault, entries } = await checkTrail(storage.db);
    expect(fault).toMatch(expectedFault);
    expect(entries).toBeLessThanOrEqual(written);
  });

  test("detects an inserted entry with a valid hash of its own", async () => {
    await run("update audit_entries set id = id + 100 where id > 5");
    const [before] = await storage.db.read(
      storage.db.sql.selectFrom("audit_entries").select("hash").where("id", "=", 5),
    );
    const hash = sha256(`${before?.hash}${JSON.stringify([1, 1, "", "forged", "", {}])}`);
    await run(
      `insert into audit_entries (id, at, actor_id, address, action, target, change, previous_hash, hash)
         values (50, 1, 1, '', 'forged', '', '{}', '${before?.hash}', '${hash}')`,
    );
    expect(await checkTrail(storage.db)).toMatchObject({
      entries: 6,
      fault: expect.stringMatching(/^entry 106 does not follow entry 50/),
    });
  });

  test("that was truncated passes the check without a recorded head, and fails it with one", async () => {
    const noted = await headNow();
    await run(`delete from audit_entries where id > ${written - 3}`);
    expect(await checkTrail(storage.db)).toMatchObject({ entries: written - 3 });
    expect((await checkTrail(storage.db)).fault).toBeUndefined();
    expect((await checkTrail(storage.db, noted)).fault).toMatch(/^entry 12 was noted and is gone/);
  });

  test("that was truncated and continued does not match the recorded head", async () => {
    const noted = await headNow();
    await run(`delete from audit_entries where id > ${written - 3}`);
    await append(5);
    expect((await checkTrail(storage.db)).fault).toBeUndefined();
    expect((await checkTrail(storage.db, noted)).fault).toMatch(
      /^entry 12 is not the one that was noted/,
    );
  });

  test("that continues contains every head recorded earlier", async () => {
    const noted = await headNow();
    await append(3);
    expect(await checkTrail(storage.db, noted)).toMatchObject({
      entries: written + 3,
      head: { id: written + 3 },
    });
    expect((await checkTrail(storage.db, noted)).fault).toBeUndefined();
  });
});
