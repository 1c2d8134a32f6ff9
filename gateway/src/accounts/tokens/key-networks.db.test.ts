import { networksCountedMax } from "@tollgate/contract/accounts/key-hygiene.ts";
import { describeLarge } from "@tollgate/tests/support/large-tests.ts";
import { createTestAccount } from "@tollgate/tests/support/money-fixtures.ts";
import { testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildOptionReader } from "../../settings/live-options.ts";
import type { Database } from "../../storage/database.ts";
import { createKeyNetworks, removeKeyNetworks } from "./key-networks.ts";

const dayMs = 86_400_000;
const today = 20_000;
const optionsWith = (values: Record<string, string>) =>
  buildOptionReader(new Map(Object.entries(values)));
const counted = { KeyNetworksThreshold: "5" };

describeLarge(testDatabases)("networks of keys on $name", ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let now: number;
  const failures: unknown[] = [];

  beforeEach(async () => {
    ({ db, close } = await open());
    now = today * dayMs;
  });
  afterEach(() => close());

  const node = (values: Record<string, string> = counted) =>
    createKeyNetworks({
      db,
      options: optionsWith(values),
      now: () => now,
      onError: (error) => failures.push(error),
    });
  const rows = () =>
    db.read(
      db.sql
        .selectFrom("key_networks")
        .selectAll()
        .orderBy("token_id")
        .orderBy("day")
        .orderBy("network"),
    );

  test("counts a network once for each key and day, whichever node or address of it was used", async () => {
    const nodes = [node(), node()];
    for (const { note } of nodes) {
      for (const address of [
        "192.0.2.1",
        "192.0.2.200",
        "2001:db8:1:2::3",
        "2001:db8:1:ffff::1",
        "no address",
      ])
        note(1, address);
      note(2, "192.0.2.1");
    }
    now += dayMs;
    for (const { note } of nodes) note(1, "192.0.2.1");
    for (const one of nodes) await one.close();
    expect(await rows()).toEqual([
      { token_id: 1, day: today, network: "192.0.2.0" },
      { token_id: 1, day: today, network: "2001:db8:1::" },
      { token_id: 1, day: today + 1, network: "192.0.2.0" },
      { token_id: 2, day: today, network: "192.0.2.0" },
    ]);
    expect(failures).toEqual([]);
  });

  test("counts no more of a key than the most of one day, and others still", async () => {
    const { note, close: stop } = node();
    for (let at = 0; at < networksCountedMax + 20; at += 1) note(1, `10.${at >> 8}.${at & 255}.1`);
    note(2, "192.0.2.1");
    await stop();
    const all = await rows();
    expect(all.filter(({ token_id }) => token_id === 1)).toHaveLength(networksCountedMax);
    expect(all.filter(({ token_id }) => token_id === 2)).toHaveLength(1);
  });

  test("counts nothing while the setting is off", async () => {
    const { note, close: stop } = node({});
    note(1, "192.0.2.1");
    await stop();
    expect(await rows()).toEqual([]);
  });

  test("keeps networks for 30 days and no longer than the log, and only those of keys that exist", async () => {
    const { tokenIds } = await createTestAccount(db, 0, [null]);
    const [id = 0] = tokenIds;
    await db.write([
      {
        query: db.sql.insertInto("key_networks").values([
          ...[0, 7, 8, 30, 31].map((age) => ({
            token_id: id,
            day: today - age,
            network: "192.0.2.0",
          })),
          { token_id: id + 1, day: today, network: "192.0.2.0" },
        ]),
      },
    ]);
    const remove = async (values: Record<string, string>) => {
      await removeKeyNetworks(db, optionsWith(values), {
        now,
        signal: new AbortController().signal,
      });
      return (await rows()).map(({ token_id, day }) => [token_id, today - day]);
    };
    const kept = (...ages: number[]) => ages.map((age) => [id, age]);
    expect(await remove({ ...counted, LogRetentionDays: "400" })).toEqual(kept(30, 8, 7, 0));
    expect(await remove({ ...counted, LogRetentionDays: "7" })).toEqual(kept(7, 0));
    expect(await remove({})).toEqual([]);
  });
});
