import { testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { describe, expect, test } from "vitest";
import { createSessionStore } from "../accounts/identity/sessions/session-store.ts";
import { purgeExpired } from "./purge-expired.ts";

const now = Date.UTC(2026, 10, 20);
const day = 24 * 3_600_000;

describe.each(testDatabases)("the purge on $name", ({ open }) => {
  test("deletes what has expired and keeps what is in use", async () => {
    const { db, close } = await open();
    const session = (id_hash: string, seen_at: number, expires_at: number) => ({
      query: db.sql.insertInto("sessions").values({
        id_hash,
        seen_at,
        expires_at,
        user_id: 1,
        created_at: 0,
        proved_at: 0,
        address: "",
        user_agent: "",
      }),
    });
    const key = (name: string, created_at: number) => ({
      query: db.sql
        .insertInto("idempotency_keys")
        .values({ user_id: 1, key: name, operation: "", reply: "", created_at }),
    });
    const state = (state_hash: string, expires_at: number) => ({
      query: db.sql
        .insertInto("oauth_states")
        .values({ state_hash, expires_at, browser_hash: "", bind_user_id: null }),
    });
    await db.write([
      state("stale", now - 10 * 60_000 - 1),
      state("repeatable", now - 10 * 60_000),
      session("expired", now, now - 1),
      session("idle", now - day - 1, now + day),
      session("in use", now - day + 1, now + 1),
      key("old", now - day - 1),
      key("fresh", now - day + 1),
    ]);
    await purgeExpired(db, createSessionStore(db), now);
    const sessions = await db.read(db.sql.selectFrom("sessions").select("id_hash"));
    const keys = await db.read(db.sql.selectFrom("idempotency_keys").select("key"));
    const states = await db.read(db.sql.selectFrom("oauth_states").select("state_hash"));
    expect([sessions, keys]).toEqual([[{ id_hash: "in use" }], [{ key: "fresh" }]]);
    expect(states).toEqual([{ state_hash: "repeatable" }]);
    await close();
  });
});
