import { channelTypes } from "@tollgate/contract/channel-types.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { type ManagementGateway, startManagementGateway, type TestApiClient } from "./management-gateway.ts";

const secret = "sk-provider-canary-9876";

describe.each(testDatabases)("channels on $name", (database) => {
  let gateway: ManagementGateway;
  let admin: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("ada", { role: 10 });
    admin = await gateway.signIn("ada");
  });
  afterAll(() => gateway.close());

  const create = async (input: object = {}) => {
    const body = { name: "c", type: 1, key: secret, models: "m1,m2", ...input };
    const reply = await admin("POST", "/api/channel/", { body });
    expect(reply.body).toMatchObject({ success: true });
    return reply.body.data[0];
  };
  const row = async (id: number) => {
    const [found] = await gateway.db.read(gateway.db.sql.selectFrom("channels").selectAll().where("id", "=", id));
    return found;
  };
  const audits = async () => gateway.db.read(gateway.db.sql.selectFrom("audit_entries").selectAll().orderBy("id"));

  test("the provider key goes in and never comes out", { tags: ["F-32", "F-79"] }, async () => {
    const channel = await create();
    expect(channel).toMatchObject({ key: "", key_hint: "9876", base_url: "https://api.openai.com", group: "default" });
    const edited = await admin("PUT", "/api/channel/", { body: { id: channel.id, key: `${secret}0` } });
    const replies = [
      channel,
      edited.body,
      (await admin("GET", `/api/channel/${channel.uuid}`)).body,
      (await admin("GET", "/api/channel/")).body,
      (await admin("GET", "/api/channel/search?keyword=c")).body,
    ];
    expect(JSON.stringify([replies, await row(channel.id), await audits()])).not.toContain("canary");
    expect(edited.body.data.key_hint).toBe("8760");
  });

  test("several lines make several channels", async () => {
    const reply = await admin("POST", "/api/channel/", {
      body: { name: "many", type: 1, key: "key-one-aaaa\n\nkey-two-bbbb\n" },
    });
    expect(reply.body.data.map(({ key_hint }: { key_hint: string }) => key_hint)).toEqual(["aaaa", "bbbb"]);
  });

  test("an edit keeps what it does not mention; empty key keeps the key; null clears", async () => {
    const channel = await create({ model_mapping: '{"a":"b"}', priority: 3 });
    const before = await row(channel.id);
    gateway.clock.now += 1000;
    const reply = await admin("PUT", "/api/channel/", {
      body: { id: channel.id, name: "renamed", key: "", models: "", weight: null, used_quota: 7, response_time: 9 },
    });
    expect(reply.body.data).toEqual({ ...channel, name: "renamed", updated_at: gateway.clock.now });
    expect((await row(channel.id))?.key_sealed).toBe(before?.key_sealed);
    const cleared = await admin("PUT", "/api/channel/", {
      body: { uuid: channel.uuid, model_mapping: null, priority: 0 },
    });
    expect(cleared.body.data).toMatchObject({ model_mapping: null, priority: 0 });
  });

  test("another host needs the key again", { tags: ["F-79"] }, async () => {
    const channel = await create();
    const move = { id: channel.id, base_url: "https://other.example/" };
    const refused = await admin("PUT", "/api/channel/", { body: move });
    expect([refused.status, refused.body.code]).toEqual([200, "channel_key_required"]);
    expect((await row(channel.id))?.base_url).toBe("https://api.openai.com");
    const moved = await admin("PUT", "/api/channel/", { body: { ...move, key: "sk-other-12345" } });
    expect(moved.body.data.base_url).toBe("https://other.example");
    expect((await row(channel.id))?.key_host).toBe("other.example:443");
  });

  test("a stale edit is refused, a status change audited", { tags: ["FT-33"] }, async () => {
    const channel = await create();
    const edit = { id: channel.id, name: "x", updated_at: channel.updated_at };
    expect((await admin("PUT", "/api/channel/", { body: edit })).status).toBe(200);
    expect((await admin("PUT", "/api/channel/", { body: edit })).status).toBe(409);
    const off = await admin("PUT", "/api/channel/?status_only=1", { body: { id: channel.id, status: 2 } });
    expect(off.body.data.status).toBe(2);
    expect((await audits()).at(-1)).toMatchObject({
      action: "channel.update",
      change: '{"status":2}',
      target: channel.uuid,
    });
  });

  test("a deleted channel is gone", async () => {
    const channel = await create();
    expect((await admin("DELETE", `/api/channel/${channel.id}`)).body.success).toBe(true);
    for (const id of [channel.id, channel.uuid]) {
      const missing = await admin("GET", `/api/channel/${id}`);
      expect([missing.status, missing.body.code]).toEqual([200, "channel_not_found"]);
    }
  });

  test("lists sort by every column of the screen", async () => {
    const all = (await admin("GET", "/api/channel/?size=100")).body.total;
    for (const sort of ["id", "name", "type", "status", "group", "response_time", "test_time", "priority", "weight"])
      expect((await admin("GET", `/api/channel/?sort=${sort}&order=asc`)).body.total).toBe(all);
    for (const sort of ["used_quota", "balance", "balance_updated_time", "created_at", "created_time", "updated_at"])
      expect((await admin("GET", `/api/channel?sort=${sort}`)).body.total).toBe(all);
  });

  test("a test writes down its time and a log row, at top level as the wire has it", async () => {
    const channel = await create();
    const ok = await admin("GET", `/api/channel/test/${channel.uuid}?model=small`);
    expect(ok.body).toEqual({ success: true, message: "2", data: null, time: 1.234, modelName: "small" });
    expect(await row(channel.id)).toMatchObject({ response_time: 1234, updated_at: channel.updated_at });
    gateway.tests.answer = { ok: false, message: "upstream said no", elapsedMs: 5, modelName: "small" };
    const failed = await admin("POST", `/api/channel/test/${channel.id}`);
    expect([failed.status, failed.body]).toEqual([
      200,
      { success: false, message: "upstream said no", code: "channel_test_failed", time: 0, modelName: "small" },
    ]);
    expect((await row(channel.id))?.response_time).toBe(0);
    const logs = await admin("GET", "/api/log/?type=5");
    expect(logs.body.data).toMatchObject([
      { type: 5, channel: channel.id, channel_uuid: channel.uuid, content: "Channel test failed: upstream said no" },
      { type: 5, username: "ada", content: "Channel test succeeded: 2", quota: 0, trace_id: "", price: null },
    ]);
  });

  test("a link elsewhere cannot start a test", async () => {
    const channel = await create();
    const reply = await admin("GET", `/api/channel/test/${channel.id}`, { headers: { "X-Tollgate-Console": "" } });
    expect([reply.status, reply.body.code]).toEqual([400, "same_origin_required"]);
  });

  test("what is known about a type", async () => {
    const metadata = await admin("GET", "/api/channel/metadata?type=28");
    expect(metadata.body.data).toMatchObject({ default_base_url: "https://api.mistral.ai", base_url_editable: false });
    expect(metadata.body.data.default_endpoints).toContain("embeddings");
    const pricing = await admin("GET", "/api/channel/default-pricing?type=14");
    expect(JSON.parse(pricing.body.data.model_configs)["claude-haiku-4-5"]).toEqual({
      ratio: 0.5,
      completion_ratio: 5,
      cached_input_ratio: 0.05,
      cache_write_5m_ratio: 0.625,
      cache_write_1h_ratio: 1,
      max_tokens: 0,
    });
    expect(JSON.parse(pricing.body.data.completion_ratio)["claude-haiku-4-5"]).toBe(5);
    expect((await admin("GET", "/api/models")).body.data["14"]).toContain("claude-haiku-4-5");
    expect((await admin("GET", "/api/group/")).body.data).toEqual(["default", "svip", "vip"]);
    expect((await admin("GET", "/api/channel/metadata?type=999")).status).toBe(400);
  });

  test("every type has metadata, and prices for models that are offered for it", async () => {
    const { data: offered } = (await admin("GET", "/api/models")).body;
    for (const { id } of channelTypes) {
      expect((await admin("GET", `/api/channel/metadata?type=${id}`)).status).toBe(200);
      const pricing = await admin("GET", `/api/channel/default-pricing?type=${id}`);
      expect(offered[id]).toEqual(expect.arrayContaining(Object.keys(JSON.parse(pricing.body.data.model_configs))));
    }
  });

  test("default prices that are loaded into a channel charge as the book does", async () => {
    const pricing = await admin("GET", "/api/channel/default-pricing?type=14");
    const model_configs = pricing.body.data.model_configs;
    const channel = await create({ type: 14, models: "claude-haiku-4-5", model_configs });
    const shown = (await gateway.visitor("GET", "/api/models/display")).body.data["Anthropic:Anthropic"].models;
    expect(shown["claude-haiku-4-5"]).toMatchObject({
      input_price: 1,
      cached_input_price: 0.1,
      cache_write_5m_price: 1.25,
      cache_write_1h_price: 2,
      output_price: 5,
    });
    await admin("DELETE", `/api/channel/${channel.id}`);
  });

  test("a repeated creation makes its channels once", async () => {
    const ask = { body: { name: "once", type: 1, key: "a\nb" }, headers: { "idempotency-key": "c-1" } };
    const [one, again] = [await admin("POST", "/api/channel/", ask), await admin("POST", "/api/channel/", ask)];
    expect(again.body.data).toEqual(one.body.data);
    expect(one.body.data).toHaveLength(2);
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
