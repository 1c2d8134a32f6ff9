// Management calls of new-api and LiteLLM, as scripts and tools send them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describe.each(ruleDatabases)("calls of other gateways on $name", (database) => {
  let gateway: ManagementGateway;
  let admin: TestApiClient;
  let mira: TestApiClient;
  /** Scripts send an access token as LiteLLM's master key is sent. */
  const bearer =
    (token: string): TestApiClient =>
    (method, path, { headers, ...rest } = {}) =>
      gateway.visitor(method, path, {
        ...rest,
        headers: { authorization: `Bearer ${token}`, ...headers },
      });

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    const ada = await gateway.addUser("ada", { role: 10 });
    const { token } = await gateway.addUser("mira");
    [admin, mira] = [bearer(ada.token), bearer(token)];
    const channel = { name: "Main", type: 1, key: "sk-1", models: "gpt-4o,o3" };
    await admin("POST", "/api/channel/", { body: channel });
  });
  afterAll(() => gateway.close());

  describe("of new-api", () => {
    test("lists with page_size count from page 1 and hold the rows as items", async () => {
      for (const name of ["one", "two", "three"])
        await mira("POST", "/api/token/", { body: { name, unlimited_quota: true } });
      const headers = { "new-api-user": "999999" };
      const { body } = await mira("GET", "/api/token/?p=2&page_size=2&sort=id&order=asc", {
        headers,
      });
      expect(body.data).toMatchObject({
        page: 2,
        page_size: 2,
        total: 3,
        items: [{ name: "three" }],
      });
      expect((await mira("GET", "/api/token/?p=0&size=2")).body.data).toHaveLength(2);
      expect((await mira("GET", "/api/channel/?p=1&page_size=2")).status).toBe(403);
      expect((await gateway.visitor("GET", "/api/token/?page_size=2")).status).toBe(401);
    });

    test("are no dry runs: nothing is made, and the refusal says so", async () => {
      const ask = {
        headers: { "dry-run": "true" },
        body: { key_alias: "dry", user_id: undefined },
      };
      const reply = await mira("POST", "/key/generate", ask);
      expect([reply.status, JSON.stringify(reply.body)]).toEqual([
        400,
        expect.stringContaining("dry run"),
      ]);
      expect((await mira("GET", "/api/token/search?keyword=dry")).body.data).toEqual([]);
    });

    test("a token is found by its key", async () => {
      const { data } = (
        await mira("POST", "/api/token/", { body: { name: "sought", unlimited_quota: true } })
      ).body;
      const found = (await mira("GET", `/api/token/search?keyword=&token=${data.key}`)).body;
      expect(found).toMatchObject({ total: 1, data: [{ name: "sought" }] });
      expect((await admin("GET", `/api/token/search?token=${data.key}`)).body.data).toEqual([]);
    });

    test("the key of a token is shown to its owner, while the site shows keys, and to no program", async () => {
      const { id, key } = (
        await mira("POST", "/api/token/", { body: { name: "shown", unlimited_quota: true } })
      ).body.data;
      const path = `/api/token/${id}/key`;
      expect((await mira("POST", path)).body).toEqual({
        success: true,
        message: "",
        data: { key },
      });
      expect((await admin("POST", path)).body.success).toBe(false);
      expect((await gateway.visitor("POST", path)).status).toBe(401);
      const root = await gateway.signIn("root");
      const reveal = (value: string) =>
        root("PUT", "/api/option/", { body: { key: "TokenKeyRevealEnabled", value } });
      await reveal("false");
      expect(await mira("POST", path)).toMatchObject({
        status: 403,
        body: { message: expect.stringContaining("once") },
      });
      await reveal("true");
    });

    test("groups, prices and usage answer in its form", async () => {
      expect((await mira("GET", "/api/user/self/groups")).body.data).toEqual({
        default: { desc: "default", ratio: 1 },
      });
      const root = await gateway.signIn("root");
      await root("PUT", "/api/option/", { body: { key: "SelectableGroups", value: "vip" } });
      expect(Object.keys((await mira("GET", "/api/user/self/groups")).body.data)).toEqual([
        "default",
        "vip",
      ]);
      await root("PUT", "/api/option/", { body: { key: "SelectableGroups", value: "" } });
      const prices = (await gateway.visitor("GET", "/api/pricing")).body;
      expect(prices.data).toContainEqual(
        expect.objectContaining({
          model_name: "gpt-4o",
          quota_type: 0,
          model_ratio: 1.25,
          completion_ratio: 4,
        }),
      );
      const own = (await mira("GET", "/api/pricing")).body;
      expect(own).toMatchObject({
        group_ratio: { default: 1 },
        usable_group: { default: "default" },
      });
      expect(own.data[0]).toMatchObject({ enable_groups: ["default"] });
      expect(
        (await mira("GET", `/api/data/self?start_timestamp=${gateway.clock.now / 1000}`)).body.data,
      ).toEqual([]);
      expect((await admin("GET", "/api/data/?username=mira")).body).toMatchObject({
        success: true,
        data: [],
      });
      expect((await mira("GET", "/api/data/")).body.success).toBe(false);
    });

    test("an account is managed by its id, and its quota moves by the rules of the own calls", async () => {
      const { data: noor } = (
        await admin("POST", "/api/user/", {
          body: { username: "noor", password: "correct horse", quota: 1_000 },
        })
      ).body;
      const manage = (body: object, by = admin) =>
        by("POST", "/api/user/manage", { body: { id: noor.id, ...body } });
      const quota = async () => (await admin("GET", `/api/user/${noor.id}`)).body.data.quota;
      expect((await manage({ action: "disable" })).body).toEqual({
        success: true,
        message: "",
        data: { role: 1, status: 2 },
      });
      expect((await manage({ action: "enable" })).body.data).toEqual({ role: 1, status: 1 });
      const move = (mode: string, value: number) => manage({ action: "add_quota", mode, value });
      expect((await move("add", 500)).body.success).toBe(true);
      expect(await quota()).toBe(1_500);
      expect((await move("subtract", 200)).body.success).toBe(true);
      expect(await quota()).toBe(1_300);
      expect((await move("override", 50)).body.success).toBe(true);
      expect(await quota()).toBe(50);
      expect((await move("subtract", 999)).body.success).toBe(true);
      expect(await quota()).toBe(0);
      for (const [mode, value] of [
        ["add", 0],
        ["add", -5],
        ["add", 1.5],
        ["double", 5],
      ] as const)
        expect([mode, value, (await move(mode, value)).status]).toEqual([mode, value, 400]);
      expect((await manage({ action: "promote", force: true })).status).toBe(400);
      expect((await manage({ action: "add_quota", mode: "add", value: 5 }, mira)).status).toBe(403);
      const unknown = await admin("POST", "/api/user/manage", {
        body: { id: 999_999, action: "disable" },
      });
      expect(unknown.body).toEqual({ success: false, message: "This user does not exist" });
      expect(await quota()).toBe(0);
      const byName = await admin("POST", "/api/user/manage", {
        body: { username: "noor", action: "disable" },
      });
      expect(byName.body.data).toMatchObject({ username: "noor", status: 2 });
      const unreadable = await admin("POST", "/api/user/manage", { body: "{" as never });
      expect([unreadable.status, unreadable.body.code]).toEqual([400, expect.any(String)]);
    });

    test("a call that is not answered names the one of this gateway", async () => {
      const reply = await mira("GET", "/api/ratio_config");
      expect(reply).toMatchObject({ status: 404, body: { code: "route_not_found" } });
      expect(reply.body.message).toBe("There is no GET /api/ratio_config: use /api/pricing");
    });
  });

  test("of Laisky's fork: administrators list, search and read the keys of all users, and no call shows a key", async () => {
    const body = { name: "of mira", unlimited_quota: true };
    const { id, uuid, key } = (await mira("POST", "/api/token/", { body })).body.data;
    const found = (await admin("GET", "/api/admin/tokens/search?keyword=of%20mira")).body;
    expect(found).toMatchObject({
      success: true,
      total: 1,
      data: [{ uuid, username: "mira", name: "of mira" }],
    });
    for (const path of ["/api/admin/tokens/?p=0&size=1", "/api/admin/tokens?p=0&size=1"])
      expect((await admin("GET", path)).body.data, path).toHaveLength(1);
    for (const one of [id, uuid]) {
      const read = (await admin("GET", `/api/admin/tokens/${one}`)).body;
      expect(read).toMatchObject({ success: true, data: { uuid, key: `***${key.slice(-4)}` } });
      expect(JSON.stringify(read)).not.toContain(key.slice(3));
    }
    expect(await admin("GET", "/api/admin/tokens/999999")).toMatchObject({ status: 404 });
    expect(await admin("GET", `/api/admin/tokens/?user_id=${uuid}`)).toMatchObject({ status: 400 });
    expect((await mira("GET", "/api/admin/tokens/")).status).toBe(403);
    expect(await admin("POST", "/api/admin/tokens/", { body })).toMatchObject({
      status: 404,
      body: { message: "There is no POST /api/admin/tokens/: use /api/token/all" },
    });
  });

  describe("of LiteLLM", () => {
    const ask = async (client: TestApiClient, method: string, path: string, body?: unknown) => {
      const reply = await client(method, path, body === undefined ? {} : { body });
      return { status: reply.status, body: reply.body as unknown as Record<string, unknown> };
    };

    test("a key is made, read, changed, listed and deleted, with budgets in dollars", async () => {
      const body = {
        key_alias: "bot",
        max_budget: 2.5,
        models: ["gpt-4o"],
        duration: "30d",
        rpm_limit: 7,
        metadata: {},
      };
      const made = (await ask(mira, "POST", "/key/generate", body)).body;
      expect(made).toMatchObject({
        key_alias: "bot",
        max_budget: 2.5,
        spend: 0,
        models: ["gpt-4o"],
        rpm_limit: 7,
      });
      const [stored] = (await mira("GET", "/api/token/search?keyword=bot")).body.data;
      expect(stored).toMatchObject({
        remain_quota: 1_250_000,
        unlimited_quota: false,
        uuid: made.token,
      });

      expect((await ask(mira, "GET", `/key/info?key=${String(made.key)}`)).body).toMatchObject({
        info: { key_alias: "bot", max_budget: 2.5, blocked: false },
      });
      const changed = await ask(mira, "POST", "/key/update", {
        key: made.key,
        max_budget: 1,
        blocked: true,
      });
      expect(changed.body).toMatchObject({ max_budget: 1, blocked: true });
      expect((await ask(mira, "POST", "/key/unblock", { key: made.token })).body).toMatchObject({
        blocked: false,
      });
      expect((await ask(mira, "GET", "/key/list?size=100")).body.keys).toContain(made.token);

      expect((await ask(admin, "GET", `/key/info?key=${String(made.key)}`)).status).toBe(404);
      const wrong = await ask(mira, "POST", "/key/delete", { keys: [made.key, "sk-unknown"] });
      expect(wrong.status).toBe(404);
      const deleted = await ask(mira, "POST", "/key/delete", { key_aliases: ["bot"] });
      expect(deleted.body).toEqual({ deleted_keys: [made.token] });
    });

    test("a key without a budget has no limit of its own", async () => {
      const made = (await ask(mira, "POST", "/key/generate", {})).body;
      expect(made).toMatchObject({ max_budget: null, models: [] });
    });

    test.each([
      ["budget_duration", { budget_duration: "30d" }],
      ["team_id", { team_id: "t" }],
      ["max_budget", { max_budget: "much" }],
      ["models", { models: ["no-default-models"] }],
      ["duration", { duration: "soon" }],
    ])("%s, which nothing here would keep, is refused by its name", async (param, body) => {
      const { status, body: reply } = await ask(mira, "POST", "/key/generate", body);
      expect(status).toBe(400);
      expect(reply).toMatchObject({ error: { param, code: "400" } });
    });

    test("a key for another user is refused", async () => {
      const { status, body } = await ask(admin, "POST", "/key/generate", { user_id: "mira" });
      expect(status).toBe(403);
      expect(body).toMatchObject({ error: { param: "user_id" } });
    });

    test("an administrator makes, reads, changes and lists users; a user may not", async () => {
      const input = { user_id: "nora", user_email: "nora@example.org", auto_create_key: false };
      const made = (await ask(admin, "POST", "/user/new", input)).body;
      expect(made).toMatchObject({
        user_email: "nora@example.org",
        user_role: "internal_user",
        key: null,
      });
      await ask(admin, "POST", "/user/update", { user_id: "nora", user_alias: "Nora N" });
      const info = (await ask(admin, "GET", "/user/info?user_id=nora")).body;
      expect(info).toMatchObject({
        user_id: made.user_id,
        user_info: { user_alias: "Nora N" },
        keys: [],
      });
      expect((await ask(admin, "GET", "/user/list?page_size=2")).body).toMatchObject({
        page: 1,
        page_size: 2,
      });
      expect((await ask(mira, "GET", "/user/info")).body).toMatchObject({
        user_info: { user_alias: "mira" },
      });

      expect((await ask(mira, "POST", "/user/new", { ...input, user_id: "olaf" })).status).toBe(
        403,
      );
      expect((await ask(mira, "GET", "/user/list")).status).toBe(403);
      const withKey = await ask(admin, "POST", "/user/new", { user_id: "olaf" });
      expect(withKey.body).toMatchObject({ error: { param: "auto_create_key" } });
    });

    test("models have prices for each token, and the state of channels asks no provider", async () => {
      const models = (await ask(mira, "GET", "/v1/model/info")).body.data;
      expect(models).toContainEqual(
        expect.objectContaining({
          model_name: "gpt-4o",
          model_info: expect.objectContaining({
            input_cost_per_token: 2.5e-6,
            output_cost_per_token: 1e-5,
          }),
        }),
      );
      expect((await ask(admin, "GET", "/health")).body).toMatchObject({
        healthy_count: 1,
        unhealthy_count: 0,
      });
      expect((await ask(mira, "GET", "/health")).status).toBe(403);
      expect((await ask(gateway.visitor, "GET", "/model/info")).status).toBe(401);
    });

    test("spending is told by day, by row and by request", async () => {
      const day = new Date(gateway.clock.now).toISOString().slice(0, 10);
      expect(
        (await ask(mira, "GET", `/spend/logs?start_date=${day}&end_date=${day}`)).body,
      ).toEqual([]);
      const rows = await ask(
        mira,
        "GET",
        `/spend/logs?start_date=${day}&end_date=${day}&summarize=false`,
      );
      expect(rows.body).toEqual([]);
      expect((await ask(mira, "GET", "/spend/logs?request_id=202601010000000000000")).body).toEqual(
        [],
      );
      expect((await ask(mira, "GET", "/spend/logs?start_date=soon")).body).toMatchObject({
        error: { param: "start_date" },
      });
    });

    test("a management key may do what its scopes allow, and no more", async () => {
      const body = {
        name: "reader",
        scopes: ["tokens:read"],
        lifetime_days: 1,
        password: "correct horse battery",
      };
      const session = await gateway.signIn("mira");
      const made = (await session("POST", "/api/management_key/", { body })).body;
      const key = bearer(made.data.key);
      expect((await ask(key, "GET", "/key/list")).status).toBe(200);
      expect((await ask(key, "POST", "/key/generate", {})).status).toBe(403);
    });
  });
});
