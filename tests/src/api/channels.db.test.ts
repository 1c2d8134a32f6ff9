import { channelTypes } from "@tollgate/contract/catalogue/channel-types.ts";
import { openHeaders } from "@tollgate/gateway/catalogue/channels/channel-headers.ts";
import { sealStoredHeaders } from "@tollgate/gateway/catalogue/channels/seal-stored-headers.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const secret = "sk-provider-canary-9876";

describeVariants(testDatabases)("channels on $name", (database) => {
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
    const [found] = await gateway.db.read(
      gateway.db.sql.selectFrom("channels").selectAll().where("id", "=", id),
    );
    return found;
  };
  const audits = async () =>
    gateway.db.read(gateway.db.sql.selectFrom("audit_entries").selectAll().orderBy("id"));

  test("a channel needs a key, but for a provider that has none", async () => {
    const body = { name: "keyless", type: 1, models: "m1" };
    const refused = await admin("POST", "/api/channel/", { body });
    expect([refused.status, refused.body.fields]).toEqual([400, { key: "API key is required" }]);
    const ollama = 30;
    const { key_hint } = await create({ type: ollama, key: undefined });
    expect(key_hint).toBe("");
  });

  test("the provider key goes in and never comes out", { tags: ["F-32", "F-79"] }, async () => {
    const channel = await create();
    expect(channel).toMatchObject({
      key: "",
      key_hint: "9876",
      base_url: "https://api.openai.com",
      group: "default",
    });
    const edited = await admin("PUT", "/api/channel/", {
      body: { id: channel.id, key: `${secret}0` },
    });
    const replies = [
      channel,
      edited.body,
      (await admin("GET", `/api/channel/${channel.uuid}`)).body,
      (await admin("GET", "/api/channel/")).body,
      (await admin("GET", "/api/channel/search?keyword=c")).body,
    ];
    expect(JSON.stringify([replies, await row(channel.id), await audits()])).not.toContain(
      "canary",
    );
    expect(edited.body.data.key_hint).toBe("8760");
  });

  test("several lines make several channels", async () => {
    const reply = await admin("POST", "/api/channel/", {
      body: { name: "many", type: 1, key: "key-one-aaaa\n\nkey-two-bbbb\n" },
    });
    expect(reply.body.data.map(({ key_hint }: { key_hint: string }) => key_hint)).toEqual([
      "aaaa",
      "bbbb",
    ]);
  });

  test("an edit keeps what it does not mention; empty key keeps the key; null clears", async () => {
    const channel = await create({ model_mapping: '{"a":"b"}', priority: 3 });
    const before = await row(channel.id);
    gateway.clock.now += 1000;
    const reply = await admin("PUT", "/api/channel/", {
      body: {
        id: channel.id,
        name: "renamed",
        key: "",
        models: "",
        weight: null,
        used_quota: 7,
        response_time: 9,
      },
    });
    expect(reply.body.data).toEqual({ ...channel, name: "renamed", updated_at: gateway.clock.now });
    expect((await row(channel.id))?.key_sealed).toBe(before?.key_sealed);
    const cleared = await admin("PUT", "/api/channel/", {
      body: { uuid: channel.uuid, model_mapping: null, priority: 0 },
    });
    expect(cleared.body.data).toMatchObject({ model_mapping: "", priority: 0 });
  });

  test("another host needs the key again", { tags: ["F-79"] }, async () => {
    const channel = await create();
    const move = { id: channel.id, base_url: "https://other.example/" };
    const refused = await admin("PUT", "/api/channel/", { body: move });
    expect([refused.status, refused.body.code]).toEqual([200, "channel_key_required"]);
    expect((await row(channel.id))?.base_url).toBe("https://api.openai.com");
    const moved = await admin("PUT", "/api/channel/", { body: { ...move, key: "sk-other-12345" } });
    expect(moved.body.data.base_url).toBe("https://other.example");
  });

  test("values of headers go in and never come out, and stay with their destination", {
    tags: ["S2-06"],
  }, async () => {
    const headers = (values: object) => JSON.stringify({ region: "eu", custom_headers: values });
    const config = headers({
      "cf-aig-authorization": "Bearer canary-header-1",
      "X-Team": "{{key}}",
    });
    const masked = headers({ "cf-aig-authorization": "********", "X-Team": "********" });
    const channel = await create({ config });
    expect(channel.config).toBe(masked);
    const opened = async (id: number) => {
      const found = await row(id);
      return found && JSON.parse(openHeaders(gateway.seal, found).config).custom_headers;
    };
    // A console of the family sends back what it read.
    const renamed = await admin("PUT", "/api/channel/", { body: { ...channel, name: "renamed" } });
    expect(renamed.body.data).toMatchObject({ name: "renamed", config: masked });
    expect(await opened(channel.id)).toEqual(JSON.parse(config).custom_headers);

    const move = {
      id: channel.id,
      base_url: "https://other.example",
      key: "sk-of-the-administrator",
    };
    const refused = await admin("PUT", "/api/channel/", { body: move });
    expect([refused.body.code, refused.body.fields]).toEqual([
      "channel_header_required",
      { config: "Please enter the value of header cf-aig-authorization again" },
    ]);
    const replaced = headers({ "cf-aig-authorization": "canary-header-2", "X-Team": "********" });
    expect(
      (await admin("PUT", "/api/channel/", { body: { id: channel.id, config: replaced } })).body
        .success,
    ).toBe(true);
    expect(await opened(channel.id)).toEqual({
      "cf-aig-authorization": "canary-header-2",
      "X-Team": "{{key}}",
    });
    expect((await audits()).at(-1)?.change).toBe('{"custom_headers":"changed"}');
    const copy = (await admin("POST", `/api/channel/${channel.id}/duplicate`)).body.data;
    expect(await opened(copy.id)).toEqual(await opened(channel.id));
    const dropped = await admin("PUT", "/api/channel/", {
      body: { ...move, config: '{"region":"eu"}' },
    });
    expect(dropped.body.data.config).toBe('{"region":"eu"}');
    expect((await row(channel.id))?.headers_sealed).toBe("");

    const replies = [
      (await admin("GET", "/api/channel/?size=100")).body,
      await row(copy.id),
      await audits(),
    ];
    expect(JSON.stringify([channel, renamed.body, refused.body, ...replies])).not.toContain(
      "canary-header",
    );
  });

  test("headers that an earlier version stored in plain text are sealed at the start, and a second start finds none", {
    tags: ["S2-06"],
  }, async () => {
    const { db, seal, problems } = gateway;
    const plain = async (name: string, config: string) => {
      const { id, updated_at } = await create({ name });
      await db.write([
        { query: db.sql.updateTable("channels").set({ config }).where("id", "=", id) },
      ]);
      return { id, updated_at };
    };
    const config = '{"custom_headers":{"X-A":"canary-plain","x-b":"***","x-c":1},"b":2}';
    const one = await plain("plain", config);
    const other = await plain("also plain", config);
    // A start that ends between two channels leaves the rest to the next one.
    const dying = { ...db, write: () => Promise.reject(new Error("killed")) };
    const failures: unknown[] = [];
    expect(await sealStoredHeaders(dying, seal, (error) => failures.push(error))).toBe(0);
    expect(failures).toHaveLength(2);
    expect(await sealStoredHeaders(db, seal, (error) => problems.push(error))).toBe(2);
    expect(await sealStoredHeaders(db, seal, (error) => problems.push(error))).toBe(0);
    for (const { id, updated_at } of [one, other]) {
      const stored = await row(id);
      if (!stored) throw new Error("the channel is gone");
      expect(stored.config).toBe(
        '{"custom_headers":{"X-A":"********","x-b":"********","x-c":1},"b":2}',
      );
      expect(stored.updated_at).toBe(updated_at);
      expect(openHeaders(seal, stored).config).toBe(config);
    }
  });

  test("a stale edit is refused, a status change audited", { tags: ["FT-33"] }, async () => {
    const channel = await create();
    const edit = { id: channel.id, name: "x", updated_at: channel.updated_at };
    expect((await admin("PUT", "/api/channel/", { body: edit })).status).toBe(200);
    expect((await admin("PUT", "/api/channel/", { body: edit })).status).toBe(409);
    const off = await admin("PUT", "/api/channel/?status_only=1", {
      body: { id: channel.id, status: 2 },
    });
    expect(off.body.data.status).toBe(2);
    expect((await audits()).at(-1)).toMatchObject({
      action: "channel.update",
      change: '{"status":{"from":1,"to":2}}',
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
    for (const sort of [
      "id",
      "name",
      "type",
      "status",
      "group",
      "response_time",
      "test_time",
      "priority",
      "weight",
    ])
      expect((await admin("GET", `/api/channel/?sort=${sort}&order=asc`)).body.total).toBe(all);
    for (const sort of [
      "used_quota",
      "balance",
      "balance_updated_time",
      "created_at",
      "created_time",
      "updated_at",
    ])
      expect((await admin("GET", `/api/channel?sort=${sort}`)).body.total).toBe(all);
  });

  test("a test writes down its time and a log row, at top level as the wire has it", async () => {
    const channel = await create();
    const ok = await admin("GET", `/api/channel/test/${channel.uuid}?model=small`);
    expect(ok.body).toEqual({
      success: true,
      message: "2",
      data: null,
      time: 1.234,
      modelName: "small",
    });
    expect(await row(channel.id)).toMatchObject({
      response_time: 1234,
      updated_at: channel.updated_at,
    });
    gateway.tests.answer = {
      ok: false,
      message: "upstream said no",
      elapsedMs: 5,
      modelName: "small",
    };
    const failed = await admin("POST", `/api/channel/test/${channel.id}`);
    expect([failed.status, failed.body]).toEqual([
      200,
      {
        success: false,
        message: "upstream said no",
        code: "channel_test_failed",
        time: 0,
        modelName: "small",
      },
    ]);
    expect((await row(channel.id))?.response_time).toBe(0);
    const logs = await admin("GET", "/api/log/?type=5");
    expect(logs.body.data).toMatchObject([
      {
        type: 5,
        channel: channel.id,
        channel_uuid: channel.uuid,
        content: "Channel test failed: upstream said no",
      },
      {
        type: 5,
        username: "ada",
        content: "Channel test succeeded: 2",
        quota: 0,
        trace_id: "",
        price: null,
      },
    ]);
  });

  test("what a check found before is the first test of the channel that is made of it, and disables nothing", async () => {
    const found = { ok: true, message: "Hi", model: "m1", elapsed_ms: 118 };
    const works = await create({ name: "checked", tested: found });
    expect([works.response_time, works.test_time, works.status]).toEqual([
      118,
      Math.floor(gateway.clock.now / 1000),
      1,
    ]);
    const refused = await create({
      name: "refused",
      tested: { ...found, ok: false, message: "status 401" },
    });
    expect([refused.response_time, refused.test_time > 0, refused.status]).toEqual([0, true, 1]);
    const log = await admin("GET", `/api/log/?type=5&channel=${works.id}`);
    expect(log.body.data).toMatchObject([
      { model_name: "m1", content: "Channel test succeeded: Hi" },
    ]);
  });

  test("a link elsewhere cannot start a test", async () => {
    const channel = await create();
    const reply = await admin("GET", `/api/channel/test/${channel.id}`, {
      headers: { "X-Tollgate-Console": "" },
    });
    expect([reply.status, reply.body.code]).toEqual([400, "same_origin_required"]);
  });

  test("what is known about a type", async () => {
    const metadata = await admin("GET", "/api/channel/metadata?type=28");
    expect(metadata.body.data).toMatchObject({
      default_base_url: "https://api.mistral.ai",
      base_url_editable: false,
    });
    expect(metadata.body.data.default_endpoints).toContain("embeddings");
    const pricing = await admin("GET", "/api/channel/default-pricing?type=14");
    expect(JSON.parse(pricing.body.data.model_configs)["claude-haiku-4-5"]).toEqual({
      ratio: 0.5,
      completion_ratio: 5,
      cached_input_ratio: 0.05,
      cache_write_5m_ratio: 0.625,
      cache_write_1h_ratio: 1,
      max_tokens: 64_000,
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
      expect(offered[id]).toEqual(
        expect.arrayContaining(Object.keys(JSON.parse(pricing.body.data.model_configs))),
      );
    }
  });

  test("default prices that are loaded into a channel charge as the book does", async () => {
    const pricing = await admin("GET", "/api/channel/default-pricing?type=14");
    const model_configs = pricing.body.data.model_configs;
    const channel = await create({ type: 14, models: "claude-haiku-4-5", model_configs });
    const shown = (await gateway.visitor("GET", "/api/models/display")).body.data[
      "Anthropic:Anthropic"
    ].models;
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
    const ask = {
      body: { name: "once", type: 1, key: "a\nb" },
      headers: { "idempotency-key": "c-1" },
    };
    const [one, again] = [
      await admin("POST", "/api/channel/", ask),
      await admin("POST", "/api/channel/", ask),
    ];
    expect(again.body.data).toEqual(one.body.data);
    expect(one.body.data).toHaveLength(2);
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
