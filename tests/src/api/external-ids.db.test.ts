import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const at = (subject: string, externalId: string) =>
  `/api/${subject}/by-external/${encodeURIComponent(externalId)}`;

describeVariants(testDatabases)("external ids on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
  });
  afterAll(() => gateway.close());

  const ask = async (client: TestApiClient, ...asked: Parameters<TestApiClient>) => {
    const { body } = await client(...asked);
    expect(body, body.message).toMatchObject({ success: true });
    return body.data;
  };
  const changes = async () => (await root("GET", "/api/audit/?size=1")).body.total;
  const found = async (subject: string, externalId: string) =>
    (await ask(root, "GET", `/api/${subject}/?external_id=${encodeURIComponent(externalId)}`)).map(
      ({ id }: { id: number }) => id,
    );

  test("a team is made at the first request, changed by a different one, and left alone by a repetition", async () => {
    const id = "crm/7";
    const put = (body: object) => ask(root, "PUT", at("team", id), { body });
    const made = await put({ name: "Search", rpm_limit: 5 });
    expect(made).toMatchObject({
      external_id: id,
      rpm_limit: 5,
      members: 1,
      balance: 0,
      status: 1,
    });
    const before = await changes();
    expect(await put({ name: "Search", rpm_limit: 5 })).toEqual(made);
    expect(await put({})).toEqual(made);
    expect(await changes()).toBe(before);
    expect(await put({ note: "n", status: 2 })).toMatchObject({
      ...{ id: made.id, name: "Search", note: "n", status: 2, rpm_limit: 5 },
    });
    expect(await found("team", id)).toEqual([made.id]);
    expect((await root("PUT", at("team", "new"), { body: { note: "n" } })).body.code).toBe(
      "invalid_request",
    );
    expect(await put({ status: 1, owner_id: made.owner_id })).toMatchObject({ status: 1 });
  });

  test("a channel is made at the first request, changed by a different one, and left alone by a repetition", async () => {
    const id = "prod/west 1% 雪";
    const body = {
      name: "west",
      type: 1,
      key: "key-of-a-provider",
      models: "small",
      model_mapping: "null",
    };
    const made = await ask(root, "PUT", at("channel", id), { body });
    expect(made).toMatchObject({ external_id: id, managed_by: "", key_hint: "ider" });
    const before = await changes();
    expect(await ask(root, "PUT", at("channel", id), { body })).toEqual(made);
    expect(await changes()).toBe(before);
    const changed = await ask(root, "PUT", at("channel", id), {
      body: { key: "another-key-here", weight: 4 },
    });
    expect(changed).toMatchObject({ id: made.id, name: "west", weight: 4, key_hint: "here" });
    expect(await changes()).toBe((before ?? 0) + 1);
    expect(await found("channel", id)).toEqual([made.id]);
    expect((await root("PUT", at("channel", "new"), { body: { name: "n" } })).body.code).toBe(
      "invalid_request",
    );
    const lines = { name: "n", type: 1, key: "one\ntwo" };
    expect((await root("PUT", at("channel", "new"), { body: lines })).body.code).toBe(
      "channel_one_key",
    );
  });

  test("an account keeps its quota and password when its creation is repeated, and a deleted one frees the id", async () => {
    const body = { username: "hired", password: "correct horse", quota: 5, group: "vip" };
    const made = await ask(root, "PUT", at("user", "hr-1"), { body });
    expect(made).toMatchObject({ external_id: "hr-1", quota: 5, group: "vip" });
    const hired = await gateway.signIn("hired", "correct horse");
    await ask(root, "POST", "/api/topup", { body: { user_id: made.id, quota: 7 } });
    const again = await ask(root, "PUT", at("user", "hr-1"), {
      body: { ...body, password: "other horse" },
    });
    expect(again).toMatchObject({ id: made.id, quota: 12 });
    expect((await hired("GET", "/api/user/self")).status).toBe(200);
    expect(await ask(root, "PUT", at("user", "hr-1"), { body: { status: 2 } })).toMatchObject({
      status: 2,
    });
    expect(await found("user", "hr-1")).toEqual([made.id]);
    await ask(root, "DELETE", `/api/user/${made.id}`);
    expect(await ask(root, "PUT", at("user", "hr-1"), { body })).not.toMatchObject({ id: made.id });
  });

  test("a budget is made at the first request, changed by a different one, and stays with its subject", async () => {
    const body = {
      subject: "model",
      model: "small",
      name: "monthly",
      window: "month",
      amount: 500,
    };
    const made = await ask(root, "PUT", at("budget", "fin-1"), { body });
    expect(made).toMatchObject({ external_id: "fin-1", subject_name: "small", amount: 500 });
    const before = await changes();
    expect(await ask(root, "PUT", at("budget", "fin-1"), { body })).toEqual(made);
    expect(await changes()).toBe(before);
    const changed = await ask(root, "PUT", at("budget", "fin-1"), { body: { amount: 700 } });
    expect(changed).toMatchObject({
      id: made.id,
      name: "monthly",
      amount: 700,
      window_start: made.window_start,
    });
    expect(await found("budget", "fin-1")).toEqual([made.id]);
    expect(await found("budget", "fin-2")).toEqual([]);
    for (const other of [
      { model: "large" },
      { subject: "site" },
      { subject_id: 1 },
      { tag: "team=x" },
    ]) {
      const { body: refused } = await root("PUT", at("budget", "fin-1"), { body: other });
      expect(refused, JSON.stringify(other)).toMatchObject({
        code: "invalid_request",
        fields: { subject: expect.stringContaining("never changes") },
      });
    }
    expect((await root("PUT", at("budget", "fin-2"), { body: { amount: 5 } })).body.code).toBe(
      "invalid_request",
    );
    const taken = await root("POST", "/api/budget/", { body: { ...body, external_id: "fin-1" } });
    expect(taken).toMatchObject({ status: 409, body: { code: "external_id_taken" } });
    await ask(root, "DELETE", `/api/budget/${made.id}`);
    expect(await ask(root, "PUT", at("budget", "fin-1"), { body })).not.toMatchObject({
      id: made.id,
    });
  });

  test("a budget template is made at the first request, changed by a different one, and keeps subject and group", async () => {
    const body = { subject: "token", name: "each key", window: "day", amount: 500 };
    const made = await ask(root, "PUT", at("budget_template", "all-keys"), { body });
    expect(made).toMatchObject({
      external_id: "all-keys",
      subject: "token",
      group: "",
      amount: 500,
    });
    const before = await changes();
    expect(await ask(root, "PUT", at("budget_template", "all-keys"), { body })).toEqual(made);
    expect(await changes()).toBe(before);
    const changed = await ask(root, "PUT", at("budget_template", "all-keys"), {
      body: { amount: 700 },
    });
    expect(changed).toMatchObject({ id: made.id, name: "each key", amount: 700 });
    expect(await found("budget_template", "all-keys")).toEqual([made.id]);
    expect(await found("budget_template", "other")).toEqual([]);
    for (const other of [{ subject: "user" }, { group: "vip" }]) {
      const refused = await root("PUT", at("budget_template", "all-keys"), { body: other });
      expect(refused.body.code, JSON.stringify(other)).toBe("invalid_request");
    }
    const taken = await root("POST", "/api/budget_template/", {
      body: { ...body, external_id: "all-keys" },
    });
    expect(taken).toMatchObject({ status: 409, body: { code: "external_id_taken" } });
    await ask(root, "DELETE", `/api/budget_template/${made.id}`);
    expect(await ask(root, "PUT", at("budget_template", "all-keys"), { body })).not.toMatchObject({
      id: made.id,
    });
  });

  test("a redemption code is issued once, however often its creation is repeated, and a used one stays as it is", async () => {
    const body = { name: "welcome", quota: 70 };
    const made = await ask(root, "PUT", at("redemption", "order-1"), { body });
    expect(made).toMatchObject({
      external_id: "order-1",
      quota: 70,
      status: 1,
      key: expect.stringMatching(/^\w{32}$/),
    });
    const before = await changes();
    expect(await ask(root, "PUT", at("redemption", "order-1"), { body })).toEqual(made);
    expect(await changes()).toBe(before);
    const off = await ask(root, "PUT", at("redemption", "order-1"), {
      body: { quota: 80, status: 2 },
    });
    expect(off).toMatchObject({ id: made.id, name: "welcome", quota: 80, status: 2 });
    await ask(root, "PUT", at("redemption", "order-1"), { body: { status: 1 } });
    expect(await ask(root, "POST", "/api/user/topup", { body: { key: made.key } })).toBe(80);
    expect(
      await ask(root, "PUT", at("redemption", "order-1"), { body: { quota: 80 } }),
    ).toMatchObject({ status: 3 });
    const late = await root("PUT", at("redemption", "order-1"), { body });
    expect(late.body.code).toBe("redemption_used");
    expect(await found("redemption", "order-1")).toEqual([made.id]);
    const several = await root("POST", "/api/redemption/", {
      body: { ...body, count: 2, external_id: "order-2" },
    });
    expect(several.body).toMatchObject({
      code: "invalid_request",
      fields: { count: expect.any(String) },
    });
    const taken = await root("POST", "/api/redemption/", {
      body: { ...body, external_id: "order-1" },
    });
    expect(taken).toMatchObject({ status: 409, body: { code: "external_id_taken" } });
  });

  test("a code above the administrator's daily limit is refused and never waits, so that repetitions pile up nothing", async () => {
    await gateway.addUser("seller", { role: 10 });
    const seller = await gateway.signIn("seller");
    const body = { name: "large", quota: 60_000_000 };
    for (const _ of [1, 2])
      expect((await seller("PUT", at("redemption", "large"), { body })).body.code).toBe(
        "issue_limit_reached",
      );
    expect(await ask(root, "GET", "/api/quota_request/")).toEqual([]);
    expect(await found("redemption", "large")).toEqual([]);
  });

  test("a destination shows its signing secret at its creation alone, changes what it is told, and keeps its receiver", async () => {
    const body = {
      name: "on-call",
      kind: "webhook",
      address: "https://example.org/hook",
      disabled: true,
    };
    const made = await ask(root, "PUT", at("destination", "pager"), { body });
    const { signing_secret, ...shown } = made;
    expect(signing_secret).toMatch(/^whsec_/);
    expect(shown).toMatchObject({ external_id: "pager", severity: "info", disabled: true });
    const before = await changes();
    expect(await ask(root, "PUT", at("destination", "pager"), { body })).toEqual(shown);
    expect(await changes()).toBe(before);
    const changed = await ask(root, "PUT", at("destination", "pager"), {
      body: { severity: "critical" },
    });
    expect(changed).toEqual({ ...shown, severity: "critical" });
    for (const other of [
      { kind: "slack" },
      { address: "https://example.com/hook" },
      { secret: "s" },
    ]) {
      const refused = await root("PUT", at("destination", "pager"), { body: other });
      expect(refused.body, JSON.stringify(other)).toMatchObject({
        code: "invalid_request",
        fields: { address: expect.stringContaining("never changes") },
      });
    }
    expect(await found("destination", "pager")).toEqual([made.id]);
    expect(await found("destination", "other")).toEqual([]);
    const taken = await root("POST", "/api/destination/", {
      body: { ...body, external_id: "pager" },
    });
    expect(taken).toMatchObject({ status: 409, body: { code: "external_id_taken" } });
    await ask(root, "DELETE", `/api/destination/${made.id}`);
    expect(await ask(root, "PUT", at("destination", "pager"), { body })).not.toMatchObject({
      id: made.id,
    });
  });

  test("virtual models and MCP servers are made, changed and found by their own name", async () => {
    const tiers = [{ strategy: "weights", targets: [{ model: "small", weight: 1 }] }];
    const headers = { Authorization: "Bearer secret" };
    const named = [
      ["virtual_model", "chat/default 雪", { tiers }, { sticky: "user" }],
      [
        "mcp_server",
        "pages",
        { url: "https://mcp.example.com/rpc", headers },
        { headers: { authorization: "other" } },
      ],
    ] as const;
    for (const [subject, name, body, edit] of named) {
      const path = `/api/${subject}/by-name/${encodeURIComponent(name)}`;
      expect((await root("PUT", path, { body: {} })).body.code, subject).toBe("invalid_request");
      const made = await ask(root, "PUT", path, { body });
      expect(made.name).toBe(name);
      const before = await changes();
      expect(await ask(root, "PUT", path, { body })).toEqual(made);
      expect(await changes()).toBe(before);
      const changed = await ask(root, "PUT", path, { body: edit });
      expect(changed).toMatchObject({ id: made.id, uuid: made.uuid });
      expect(changed.updated_at).toBeGreaterThan(made.updated_at);
      const list = (wanted: string) =>
        ask(root, "GET", `/api/${subject}/?name=${encodeURIComponent(wanted)}`);
      expect(await list(name)).toEqual([changed]);
      expect(await list("nothing")).toEqual([]);
    }
  });

  test("a token shows its key at its creation alone, keeps what was spent, and is its owner's", async () => {
    const body = { name: "ci", remain_quota: 100, status: 2 };
    const { key } = (
      await root("POST", "/api/management_key/", {
        body: {
          name: "ci",
          scopes: ["tokens:read", "tokens:write"],
          lifetime_days: 1,
          current_password: password,
        },
      })
    ).body.data;
    const program: TestApiClient = (method, path, more) =>
      gateway.visitor(method, path, { ...more, headers: { authorization: `Bearer ${key}` } });
    const made = await ask(program, "PUT", at("token", "ci"), { body });
    expect(made).toMatchObject({
      external_id: "ci",
      status: 2,
      remain_quota: 100,
      key: expect.stringMatching(/^sk-/),
    });
    const spent = gateway.db.sql
      .updateTable("tokens")
      .set({ remain_quota: 60 })
      .where("id", "=", made.id);
    await gateway.db.write([{ query: spent }]);
    const again = await ask(program, "PUT", at("token", "ci"), { body });
    expect(again).toMatchObject({ id: made.id, remain_quota: 60, updated_at: made.updated_at });
    expect(again.key).not.toBe(made.key);
    const renamed = await ask(program, "PUT", at("token", "ci"), { body: { name: "build" } });
    expect(renamed).toMatchObject({ id: made.id, name: "build" });
    expect(await found("token", "ci")).toEqual([made.id]);
    await gateway.addUser("neighbour");
    const neighbour = await gateway.signIn("neighbour");
    expect((await ask(neighbour, "PUT", at("token", "ci"), { body })).id).not.toBe(made.id);
  });

  test("one name is one resource, also for requests at the same moment; an empty text takes the name away", async () => {
    const input = { name: "twin", type: 1, key: "k" };
    const replies = await Promise.all(
      [1, 2, 3, 4].map(() =>
        root("PUT", at("channel", "twin"), { body: input }).then(({ body }) => body),
      ),
    );
    const codes = replies.filter(({ success }) => !success).map(({ code }) => code);
    expect(
      codes.filter((code) => code !== "external_id_taken" && code !== "changed_meanwhile"),
    ).toEqual([]);
    expect(await found("channel", "twin")).toHaveLength(1);
    const taken = await root("POST", "/api/channel/", { body: { ...input, external_id: "twin" } });
    expect([taken.status, taken.body.code]).toEqual([409, "external_id_taken"]);
    const [other] = await ask(root, "POST", "/api/channel/", { body: input });
    const renamed = await root("PUT", "/api/channel/", {
      body: { id: other.id, external_id: "twin" },
    });
    expect(renamed.body).toMatchObject({
      code: "external_id_taken",
      fields: { external_id: expect.any(String) },
    });
    await gateway.addUser("one");
    const [person] = await ask(root, "GET", "/api/user/search?keyword=one");
    await ask(root, "PUT", "/api/user/", { body: { id: person.id, external_id: "p" } });
    const second = { username: "two", password: "correct horse", external_id: "p" };
    expect((await root("POST", "/api/user/", { body: second })).body.code).toBe(
      "external_id_taken",
    );
    await ask(root, "POST", "/api/token/", { body: { name: "t", external_id: "t" } });
    const double = await root("POST", "/api/token/", { body: { name: "t", external_id: "t" } });
    expect(double.body.code).toBe("external_id_taken");
    const [first] = await found("channel", "twin");
    expect(
      await ask(root, "PUT", "/api/channel/", { body: { id: first, external_id: "" } }),
    ).toMatchObject({
      external_id: "",
    });
    expect(await found("channel", "twin")).toEqual([]);
    expect(gateway.problems).toEqual([]);
  });
});
