// Channels with several keys: what is stored of each, what an edit does to them, and who takes one
// out of service.
import {
  openChannelKeys,
  openFirstKey,
} from "@tollgate/gateway/catalogue/channels/open-channel-keys.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const keys = ["sk-canary-first-aaaa", "sk-canary-second-bbbb", "sk-canary-third-cccc"];
const several = JSON.stringify({ multi_key: true });
const refusal = { status: 401, type: "invalid_request_error", code: null };

interface ListedChannelKey {
  place: number;
  hint: string;
  status: number;
  reason: string;
}

describeVariants(testDatabases)("channels with several keys on $name", (database) => {
  let gateway: ManagementGateway;
  let admin: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("ada", { role: 10 });
    admin = await gateway.signIn("ada");
    const root = await gateway.signIn("root");
    await root("PUT", "/api/option/", {
      body: { key: "AutomaticDisableChannelEnabled", value: "true" },
    });
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
  });

  const create = async (input: object = {}) => {
    const body = {
      name: "several",
      type: 1,
      key: keys.join("\n"),
      models: "m",
      config: several,
      ...input,
    };
    const reply = await admin("POST", "/api/channel/", { body });
    expect(reply.body).toMatchObject({ success: true });
    expect(reply.body.data).toHaveLength(1);
    return reply.body.data[0];
  };
  const read = async (id: number) => (await admin("GET", `/api/channel/${id}`)).body.data;
  const shown = async (id: number) =>
    (await read(id)).keys.map(({ hint, status }: ListedChannelKey) => [hint, status]);
  /** What the relay would send with. */
  const opened = async (id: number) => {
    const { db, seal } = gateway;
    const [row] = await db.read(db.sql.selectFrom("channels").selectAll().where("id", "=", id));
    if (!row) throw new Error("there is no channel");
    const rows = await db.read(
      db.sql.selectFrom("channel_keys").selectAll().where("channel_uuid", "=", row.uuid),
    );
    return openChannelKeys(seal, row, rows).map(({ index, key, status }) => [index, key, status]);
  };
  const first = async (id: number) => {
    const [row] = await gateway.db.read(
      gateway.db.sql.selectFrom("channels").selectAll().where("id", "=", id),
    );
    return row && openFirstKey(gateway.seal, row);
  };
  const edit = (id: number, change: object) =>
    admin("PUT", "/api/channel/", { body: { id, ...change } });
  const update = (id: number, change: object) =>
    admin("PUT", `/api/channel/${id}/key`, { body: change });

  test("are one channel, and show of each key the last four characters", async () => {
    const channel = await create({ key: `${keys.join("\n")}\n\n ${keys[0]} ` });
    expect(channel).toMatchObject({ key: "", key_hint: "aaaa", breaker: [] });
    expect(channel.keys).toEqual(
      ["aaaa", "bbbb", "cccc"].map((hint, index) => ({
        place: index + 1,
        hint,
        status: 1,
        reason: "",
        changed_at: 0,
        seconds_left: 0,
      })),
    );
    expect(await opened(channel.id)).toEqual(keys.map((key, index) => [index + 1, key, 1]));
    // A balance is fetched with one key, not with all of them joined.
    expect(await first(channel.id)).toBe(keys[0]);
    const { db } = gateway;
    const stored = [
      await db.read(db.sql.selectFrom("channels").selectAll()),
      await db.read(db.sql.selectFrom("channel_keys").selectAll()),
      await db.read(db.sql.selectFrom("audit_entries").selectAll()),
      (await admin("GET", "/api/channel/")).body,
    ];
    expect(JSON.stringify(stored)).not.toContain("canary");
  });

  test("without the setting several lines stay several channels", async () => {
    const reply = await admin("POST", "/api/channel/", {
      body: { name: "many", type: 1, key: keys.join("\n") },
    });
    expect(reply.body.data.map((one: { keys: unknown[] }) => one.keys)).toEqual([[], [], []]);
  });

  test("a key is disabled and enabled by hand, and the audit trail says by whom", async () => {
    const { id, uuid, updated_at } = await create();
    const off = await update(id, { place: 2, status: 2, updated_at });
    expect(off.body.data.keys[1]).toMatchObject({
      place: 2,
      hint: "bbbb",
      status: 2,
      changed_at: gateway.clock.now,
    });
    expect((await opened(id)).map(([, , status]) => status)).toEqual([1, 2, 1]);
    expect((await update(id, { place: 1, status: 2, updated_at })).status).toBe(409);
    expect((await update(id, { place: 2, status: 1 })).body.data.keys[1].status).toBe(1);
    expect((await update(id, { place: 9, status: 1 })).body.code).toBe("channel_key_not_found");
    expect((await update(id, { place: 1, status: 3 })).body.code).toBe("invalid_request");
    const { db } = gateway;
    const trail = await db.read(
      db.sql.selectFrom("audit_entries").selectAll().where("target", "=", uuid).orderBy("id"),
    );
    expect(trail.map(({ action, change }) => [action, JSON.parse(change)]).slice(-2)).toEqual([
      ["channel.update_key", { place: 2, hint: "bbbb", status: 2 }],
      ["channel.update_key", { place: 2, hint: "bbbb", status: 1 }],
    ]);
  });

  test("a key that its provider refuses is out of service; the channel goes on, until its last one is refused", async () => {
    const { id, name } = await create({ name: "refused" });
    const before = gateway.notices.length;
    await Promise.all([1, 2, 3].map(() => gateway.automatic.onRefusal(id, 2, refusal)));
    const one = await read(id);
    expect([one.status, one.keys[1]]).toMatchObject([
      1,
      {
        status: 3,
        reason: "The provider refused the key: status 401",
        changed_at: gateway.clock.now,
      },
    ]);
    expect(gateway.notices.slice(before)).toEqual([
      `The key 2 (…bbbb) of channel ${name} was disabled automatically. The provider refused the key: status 401`,
    ]);
    await gateway.automatic.onRefusal(id, 1, refusal);
    await gateway.automatic.onRefusal(id, 3, {
      ...refusal,
      status: 429,
      type: "insufficient_quota",
    });
    expect(await read(id)).toMatchObject({
      status: 3,
      disabled_reason: "No key is left. The provider refused the key: insufficient_quota",
    });
    expect(await shown(id)).toEqual([
      ["aaaa", 3],
      ["bbbb", 3],
      ["cccc", 3],
    ]);
    // What was taken out together comes back together.
    await admin("PUT", "/api/channel/?status_only=1", { body: { id, status: 1 } });
    expect(await shown(id)).toEqual([
      ["aaaa", 1],
      ["bbbb", 1],
      ["cccc", 1],
    ]);
  });

  test("a passed test brings the keys back too, but for one that was disabled by hand", async () => {
    const { id } = await create();
    await update(id, { place: 2, status: 2 });
    for (const place of [1, 3]) await gateway.automatic.onRefusal(id, place, refusal);
    const { db } = gateway;
    const [row] = await db.read(db.sql.selectFrom("channels").selectAll().where("id", "=", id));
    if (row) await gateway.automatic.apply(row, { status: 1 });
    expect((await read(id)).status).toBe(1);
    expect(await shown(id)).toEqual([
      ["aaaa", 1],
      ["bbbb", 2],
      ["cccc", 1],
    ]);
  });

  test("new keys take the place of all, or come to them; those that stay keep their state", async () => {
    const { id } = await create();
    await gateway.automatic.onRefusal(id, 2, refusal);
    const added = await edit(id, { key: "sk-canary-fourth-dddd", key_added: true });
    expect(added.body.message).toBe("");
    expect(await opened(id)).toEqual(
      [...keys, "sk-canary-fourth-dddd"].map((key, at) => [at + 1, key, at === 1 ? 3 : 1]),
    );
    await edit(id, { key: `${keys[1]}\nsk-canary-fifth-eeee` });
    expect(await opened(id)).toEqual([
      [1, keys[1], 3],
      [2, "sk-canary-fifth-eeee", 1],
    ]);
    await edit(id, { name: "renamed" });
    expect(await shown(id)).toEqual([
      ["bbbb", 3],
      ["eeee", 1],
    ]);
  });

  test("stored keys never follow a channel to another host, not even when one is added for it", {
    tags: ["F-79"],
  }, async () => {
    const { id } = await create();
    const moved = { base_url: "https://other.example", key: "sk-other-key-ffff" };
    const refused = await edit(id, { ...moved, key_added: true });
    expect([refused.body.code, refused.body.fields]).toEqual([
      "channel_key_required",
      { key: "Please enter all API keys again" },
    ]);
    expect((await edit(id, moved)).body.success).toBe(true);
    expect(await opened(id)).toEqual([[1, "sk-other-key-ffff", 1]]);
  });

  test("a channel becomes one with several keys and back; going back requires naming the key that stays", async () => {
    const [key = ""] = keys;
    const { id } = await create({ key, config: "{}" });
    await edit(id, { config: several });
    expect(await opened(id)).toEqual([[1, key, 1]]);
    await edit(id, { config: "{}" });
    expect([await opened(id), await shown(id)]).toEqual([[[0, key, 1]], []]);
    await edit(id, { config: several, key: keys.join("\n") });
    expect(await shown(id)).toHaveLength(3);
    const refused = await edit(id, { config: "{}" });
    expect(refused.body.code).toBe("channel_key_required");
    expect((await edit(id, { config: "{}", key })).body.data.keys).toEqual([]);
    expect(await opened(id)).toEqual([[0, key, 1]]);
  });

  test("a copy has the keys and their states; a deleted channel leaves none behind", async () => {
    const { id, uuid } = await create();
    await gateway.automatic.onRefusal(id, 2, refusal);
    const copy = (await admin("POST", `/api/channel/${id}/duplicate`)).body.data;
    expect(await opened(copy.id)).toEqual(await opened(id));
    await admin("DELETE", `/api/channel/${id}`);
    await admin("DELETE", "/api/channel/disabled");
    const { db } = gateway;
    const left = await db.read(
      db.sql.selectFrom("channel_keys").selectAll().where("channel_uuid", "in", [uuid, copy.uuid]),
    );
    expect(left).toEqual([]);
  });

  test("what the node remembers of its calls is shown with the channel", async () => {
    const { id } = await create();
    const at = gateway.clock.now;
    gateway.breakers.push(
      {
        channelId: id,
        model: "m",
        reason: "status 503",
        since: at,
        openUntil: at + 29_100,
        isOpen: true,
        isHard: false,
      },
      {
        channelId: id,
        model: "n",
        reason: "status 429",
        since: at,
        openUntil: at + 5_000,
        isOpen: true,
        isHard: true,
      },
      {
        channelId: id,
        model: "o",
        reason: "no answer",
        since: at,
        openUntil: at - 1,
        isOpen: false,
        isHard: false,
      },
      {
        channelId: id + 1,
        model: "m",
        reason: "status 500",
        since: at,
        openUntil: at + 1,
        isOpen: true,
        isHard: false,
      },
    );
    gateway.keyCooldowns.push({ channelId: id, keyIndex: 3, until: at + 60_000 });
    const { data } = (await admin("GET", "/api/channel/?size=100&sort=id&order=desc")).body;
    const listed = data.find((one: { id: number }) => one.id === id);
    expect(listed.breaker).toEqual([
      { model: "m", state: "open", reason: "status 503", seconds_left: 30 },
      { model: "n", state: "limited", reason: "status 429", seconds_left: 5 },
      { model: "o", state: "half_open", reason: "no answer", seconds_left: 0 },
    ]);
    expect(listed.keys.map(({ seconds_left }: { seconds_left: number }) => seconds_left)).toEqual([
      0, 0, 60,
    ]);
    gateway.breakers.length = 0;
  });

  test("overrides are checked when they are stored", async () => {
    const refused = await admin("POST", "/api/channel/", {
      body: { name: "c", type: 1, key: "k", config: '{"custom_headers":{"Host":"x"}}' },
    });
    expect([refused.body.code, refused.body.fields]).toEqual([
      "invalid_request",
      { config: "Header Host cannot be set" },
    ]);
    const { id } = await create();
    const edited = await edit(id, { config: '{"param_override":{"model":"x"}}' });
    expect(edited.body.fields).toEqual({ config: "Parameter model cannot be overridden" });
  });
});
