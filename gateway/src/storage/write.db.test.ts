import { createHash } from "node:crypto";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditPayload } from "./audit-chain.ts";
import {
  type AuditInput,
  Conflict,
  type Database,
  StaleWrite,
  StorageUnavailable,
  tryWrite,
  type Write,
} from "./database.ts";
import { openDatabase } from "./open-database.ts";

describe.each(testDatabases)("writing on $name", (database) => {
  let storage: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    storage = await database.open();
    db = storage.db;
  });
  afterAll(() => storage.close());

  const put = (key: string, value = "") => ({
    query: db.sql.insertInto("options").values({ key, value, updated_at: 1 }),
    rows: 1,
  });
  const keys = async () =>
    (await db.read(db.sql.selectFrom("options").select("key").orderBy("key"))).map(
      ({ key }) => key,
    );

  test("a batch with a statement that misses its rows changes nothing and rejects as stale", async () => {
    const before = await keys();
    const missing = { query: db.sql.deleteFrom("options").where("key", "=", "absent"), rows: 1 };
    const failure = await db
      .write([put("missed-1"), missing, put("missed-2")])
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StaleWrite);
    expect(await keys()).toEqual(before);
  });

  test("a batch with a taken unique value changes nothing and names the constraint", {
    tags: ["F-124"],
  }, async () => {
    await db.write([put("taken")]);
    const before = await keys();
    const failure = await db.write([put("fresh"), put("taken")]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Conflict);
    expect(String((failure as Conflict).constraint)).toMatch(/^options/);
    expect(await keys()).toEqual(before);
  });

  test("a rejected batch carries the code of the statement that was rejected", async () => {
    const missing: Write = {
      query: db.sql.deleteFrom("options").where("key", "=", "absent"),
      rows: 1,
    };
    const codeOf = async (...batch: Write[]) => (await tryWrite(db, batch))?.code;
    expect(await codeOf(put("coded"), { ...missing, missed: "token_not_found" })).toBe(
      "token_not_found",
    );
    expect(await codeOf({ ...put("coded"), missed: "email_taken" }, missing)).toBeUndefined();
    expect(await codeOf(put("coded"), put("other"))).toBeUndefined();
    expect(await codeOf({ ...put("coded"), conflict: "username_taken" })).toBe("username_taken");
    expect(
      await codeOf(put("free"), put("coded"), { ...put("free"), conflict: "email_taken" }),
    ).toBeUndefined();
    const user = {
      role: 1,
      status: 1,
      group: "",
      wallet_id: 1,
      must_change_password: 0,
      access_token_hash: null,
    } as const;
    const insertUser = (uuid: string, username: string, email: string): Write => ({
      query: db.sql.insertInto("users").values({
        ...user,
        ...{
          uuid,
          username,
          email,
          display_name: "",
          password_hash: "",
          created_at: 1,
          updated_at: 1,
        },
      }),
      conflict: { users_username: "username_taken", users_email_taken: "email_taken" },
    });
    expect(await codeOf(insertUser("u1", "mira", "mira@example.org"))).toBeUndefined();
    expect(await codeOf(insertUser("u2", "mira", ""))).toBe("username_taken");
    expect(await codeOf(insertUser("u3", "other", "Mira@example.org"))).toBe("email_taken");
    expect(await tryWrite(db, [insertUser("u1", "third", "")])).toMatchObject({
      code: undefined,
      constraint: "users_uuid",
    });
  });

  test("a batch that violates a check constraint changes nothing", async () => {
    const wallets = () => db.read(db.sql.selectFrom("wallets").select("id"));
    const before = await wallets();
    const wallet = (uuid: string, balance: number) => ({
      query: db.sql.insertInto("wallets").values({ uuid, balance, created_at: 1 }),
    });
    await expect(db.write([wallet("one", 5), wallet("two", -5)])).rejects.toThrow();
    expect(await wallets()).toEqual(before);
  });

  test("of many concurrent batches each succeeds or fails alone", async () => {
    const missing = { query: db.sql.deleteFrom("options").where("key", "=", "absent"), rows: 1 };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, n) => {
        if (n % 3 === 0) return db.write([put(`alone-${n}`), missing]);
        return db.write([put(n % 3 === 1 ? `alone-${n}` : "alone-same")]);
      }),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(20 + 1);
    const storedKeys = (await keys()).filter((key) => key.startsWith("alone-"));
    expect(storedKeys).toEqual(
      [...Array.from({ length: 20 }, (_, n) => `alone-${n * 3 + 1}`), "alone-same"].sort(),
    );
  });

  test("a batch returns the result of each statement", async () => {
    const results = await db.write([
      {
        query: db.sql
          .insertInto("options")
          .values([1, 2].map((n) => ({ key: `row-${n}`, value: "", updated_at: 1 }))),
      },
      { query: db.sql.deleteFrom("options").where("key", "=", "row-1").returning("key") },
      { query: db.sql.deleteFrom("options").where("key", "=", "row-1") },
    ]);
    expect(results.map(({ affected, rows }) => [affected, rows])).toEqual([
      [2, []],
      [1, [{ key: "row-1" }]],
      [0, []],
    ]);
  });

  test("listeners are called after a committed write with their topic, and not after a failed one", async () => {
    const heard: string[] = [];
    db.onChange("channels", () => heard.push("channels"));
    db.onChange("tokens", () => heard.push("tokens"));
    await db.write([put("topic")], { changes: ["tokens"] });
    expect(heard).toContain("tokens");
    const count = heard.length;
    await db.write([put("topic")], { changes: ["channels"] }).catch(() => undefined);
    expect(heard.slice(count)).not.toContain("channels");
  });

  test("an invalid statement is a bug, not unavailable storage", async () => {
    const nonsense = {
      compile: () => ({ ...db.sql.selectFrom("options").select("key").compile(), sql: "selec 1" }),
    };
    const failure = await db.read(nonsense).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(StorageUnavailable);
  });

  test("audit entries are chained: every hash covers its entry and the hash before it", async () => {
    const entries: AuditInput[] = Array.from({ length: 30 }, (_, n) => ({
      at: 1_000 + n,
      actorId: n,
      address: "2001:db8::1",
      action: "channel.update",
      target: `"quoted" \\ 雪 🌊 'x' ${n}`,
      change: { name: "naïve\n\t", nested: { n, list: [null, true, 1.5] } },
    }));
    const [first, ...others] = entries;
    if (first) await db.write(db.audit(first));
    await Promise.all(others.map((entry) => db.write(db.audit(entry))));

    const rows = await db.read(db.sql.selectFrom("audit_entries").selectAll().orderBy("id"));
    expect(rows.map(({ actor_id }) => actor_id).sort((a, b) => a - b)).toEqual(
      entries.map(({ actorId }) => actorId),
    );
    let previous = "0".repeat(64);
    for (const row of rows) {
      expect(row.previous_hash).toBe(previous);
      const { at, actor_id: actorId, address, action, target } = row;
      const payload = auditPayload({
        at,
        actorId,
        address,
        action,
        target,
        change: JSON.parse(row.change),
      });
      previous = createHash("sha256")
        .update(previous + payload)
        .digest("hex");
      expect(row.hash).toBe(previous);
    }
  });

  test("an audit entry is committed or rolled back with the batch that it records", async () => {
    const entry = { at: 1, actorId: 1, address: "", action: "rolled back", target: "", change: {} };
    await expect(db.write([put("taken"), ...db.audit(entry)])).rejects.toThrow(Conflict);
    expect(
      await db.read(db.sql.selectFrom("audit_entries").select("id").where("action", "=", "lost")),
    ).toEqual([]);
  });

  test("written data is there after a restart, and ids continue after the newest", async () => {
    const other = await database.open();
    const id = other.db.mintId();
    const future = id + 60_000 * 4096;
    await other.db.write([
      {
        query: other.db.sql
          .insertInto("options")
          .values({ key: "stored", value: "v", updated_at: 1 }),
      },
      {
        query: other.db.sql.insertInto("reservations").values({
          id: future,
          wallet_id: 1,
          user_id: 1,
          token_id: 1,
          amount: 0,
          token_amount: 0,
          node: 0,
          lease_until: 0,
          snapshot: "{}",
          progress: null,
        }),
      },
    ]);
    await other.db.close();
    const fail = (error: Error) => {
      throw error;
    };
    const reopened = await openDatabase(other.config, { onError: fail, onFatal: fail });
    try {
      expect(await reopened.read(reopened.sql.selectFrom("options").select("key"))).toEqual([
        { key: "stored" },
      ]);
      expect(reopened.mintId()).toBeGreaterThan(future);
    } finally {
      await reopened.close();
      await other.close().catch(() => undefined);
    }
  });

  test("a call after closing is rejected and does not hang", async () => {
    const other = await database.open();
    await other.close();
    await expect(other.db.read(other.db.sql.selectFrom("options").select("key"))).rejects.toThrow();
    await expect(other.db.write([put("late")])).rejects.toThrow();
  });
});
