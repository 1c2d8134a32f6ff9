import { createTestAccount } from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RelayChannelKey } from "../routing/channel-parts.ts";
import type { RelayChannel } from "../routing/channel-table.ts";
import { openProviderStates } from "./open-provider-states.ts";
import { createProviderStateStore } from "./provider-state-store.ts";

const day = 24 * 3_600_000;
const now = Date.UTC(2026, 10, 22);

describe.each(testDatabases)("the ids of providers on $name", ({ open }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());
  const row = (id_hash: string, more: object = {}) => ({
    id_hash,
    channel_id: 1,
    kind: "response",
    user_id: 1,
    team_id: 0,
    key_hash: "k",
    model_name: "m",
    created_at: now,
    used_at: now,
    context_tokens: null,
    ...more,
  });

  test("have no owner once their channel gave them to two users, and to their owner however often it gave them", async () => {
    const { db } = database;
    const store = createProviderStateStore(db);
    await db.write([store.put([row("short"), row("long")])]);
    await db.write([store.put([row("long", { kind: "item" })])]);
    await db.write([store.put([row("short", { user_id: 2 }), row("other", { user_id: 2 })])]);
    await db.write([store.put([row("moved")])]);
    await db.write([store.put([row("moved", { team_id: 3 })])]);
    await db.write([store.put([row("short")])]);
    const owners = (await store.withHashes(["short", "long", "other", "moved"])).map(
      ({ id_hash, user_id, kind }) => [id_hash, user_id, kind],
    );
    expect(owners.sort()).toEqual([
      ["long", 1, "response"],
      ["moved", 0, "response"],
      ["other", 2, "response"],
      ["short", 0, "response"],
    ]);
  });

  test("are apart for each channel, and go 30 days after their last use, but for files and conversations", async () => {
    const { db } = database;
    const store = createProviderStateStore(db);
    const old = { used_at: now - 31 * day };
    await db.write([
      store.put([row("a"), row("b", old), row("c", { ...old, kind: "file" }), row("d", old)]),
    ]);
    await db.write([store.put([row("a"), row("a", { user_id: 2, channel_id: 2 })])]);
    const owners = (await store.withHashes(["a"])).map(({ channel_id, user_id }) => [
      channel_id,
      user_id,
    ]);
    expect(owners.sort()).toEqual([
      [1, 1],
      [2, 2],
    ]);
    await db.write([store.touch(["d"], now)]);
    await db.write([store.sweep(now - 30 * day)]);
    const left = (await store.withHashes(["b", "c", "d"])).map(({ id_hash }) => id_hash);
    expect(left.sort()).toEqual(["c", "d"]);
  });

  test("stand for the tokens of the call that issued them, at its channel", async () => {
    const { db } = database;
    const store = createProviderStateStore(db);
    await db.write([store.put([row("e"), row("f"), row("e", { channel_id: 2 })])]);
    await db.write([store.setContextTokens(["e"], 1, 51_097)]);
    const counted = (await store.withHashes(["e", "f"])).map((found) => [
      found.id_hash,
      found.channel_id,
      found.context_tokens,
    ]);
    expect(counted.sort()).toEqual([
      ["e", 1, 51_097],
      ["e", 2, null],
      ["f", 1, null],
    ]);
  });

  test("that are not known are let through by default on a site with one user, and for a while after an upgrade", async () => {
    const { db } = database;
    const store = createProviderStateStore(db);
    await createTestAccount(db, 0, [null]);
    expect(await store.site()).toEqual({ hasOneUser: true, graceUntil: 0 });
    await createTestAccount(db, 0, [null]);
    const chore = { name: "unknown state allowed", due_at: now };
    await db.write([{ query: db.sql.insertInto("chores").values(chore) }]);
    expect(await store.site()).toEqual({ hasOneUser: false, graceUntil: now });
  });

  test("of a container that is used again is paid for once, by its size and the time since", {
    tags: ["S2-02"],
  }, async () => {
    const { db } = database;
    const minute = 60_000;
    let at = now;
    const fail = (error: unknown) => {
      throw error;
    };
    const states = await openProviderStates({
      db,
      store: createProviderStateStore(db),
      now: () => at,
      onError: fail,
    });
    const channel = { id: 7, uuid: "seven" } as RelayChannel;
    const made = { channel, key: { key: "k" } as RelayChannelKey, model: "" };
    await states.issue([{ kind: "container", id: "cntr" }], { userId: 1, teamId: 0 }, made, [
      states.contextStored("cntr", channel, 4),
    ]);
    at += 20 * minute;
    expect([
      await states.sessionsDue("cntr", channel),
      await states.payContainer("cntr", channel),
    ]).toEqual([0, 0]);
    at += 18 * minute;
    expect(await states.sessionsDue("cntr", channel)).toBe(8);
    const paid = await Promise.all([
      states.payContainer("cntr", channel),
      states.payContainer("cntr", channel),
    ]);
    expect(paid.sort()).toEqual([0, 8]);
    expect(await states.sessionsDue("cntr", channel)).toBe(0);
    expect([
      await states.sessionsDue("another", channel),
      await states.payContainer("cntr", { id: 8 }),
    ]).toEqual([0, 0]);
  });
});
