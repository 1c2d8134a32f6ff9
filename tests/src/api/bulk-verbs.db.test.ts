import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const outcomes = (reply: {
  body: { data: { rows: { name: string; skipped: { code: string } | null }[] } };
}) =>
  Object.fromEntries(
    reply.body.data.rows.map(({ name, skipped }) => [name, skipped?.code ?? "changes"]),
  );

describeVariants(testDatabases)("one act on many rows on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let ada: TestApiClient;
  let mira: TestApiClient;

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("ada", { role: 10 });
    await gateway.addUser("berta", { role: 10 });
    await gateway.addUser("mira");
    await gateway.addUser("nora");
    [root, ada, mira] = [
      await gateway.signIn("root"),
      await gateway.signIn("ada"),
      await gateway.signIn("mira"),
    ];
  });
  afterAll(() => gateway.close());

  const made = async (client: TestApiClient, path: string, body: object) => {
    const { data } = (await client("POST", path, { body })).body;
    return Array.isArray(data) ? data[0] : data;
  };
  const entries = async () =>
    (
      await gateway.db.read(gateway.db.sql.selectFrom("audit_entries").selectAll().orderBy("id"))
    ).map(({ action, target }) => `${action} ${target}`);
  const userId = async (username: string): Promise<number> => {
    const users = gateway.db.sql.selectFrom("users").select("id").where("username", "=", username);
    return (await gateway.db.read(users))[0]?.id ?? 0;
  };

  test("a preview says what would become of each row, and changes nothing", async () => {
    const first = await made(ada, "/api/channel/", {
      name: "first",
      type: 1,
      key: "sk-aaaaaaaaaaaa",
      models: "m",
    });
    const off = await made(ada, "/api/channel/", {
      name: "off",
      type: 1,
      key: "sk-bbbbbbbbbbbb",
      models: "m",
      status: 2,
    });
    const before = await entries();
    const ask = { ids: [first.id, off.uuid, 999_999], verb: "disable" };
    const preview = await ada("POST", "/api/channel/bulk", { body: { ...ask, preview: true } });
    expect(preview.body.data.changed).toBe(1);
    expect(outcomes(preview)).toEqual({
      first: "changes",
      off: "bulk_unchanged",
      "": "channel_not_found",
    });
    expect(preview.body.data.rows[0]).toMatchObject({
      before: { status: 1 },
      after: { status: 2 },
    });
    expect(await entries()).toEqual(before);
    expect((await ada("GET", `/api/channel/${first.id}`)).body.data.status).toBe(1);

    const done = await ada("POST", "/api/channel/bulk", { body: ask });
    expect(done.body.data).toEqual(preview.body.data);
    expect((await ada("GET", `/api/channel/${first.id}`)).body.data.status).toBe(2);
    expect((await entries()).slice(before.length)).toEqual([`channel.update ${first.uuid}`]);
  });

  test("many accounts are topped up in one act: those out of reach are skipped, a repetition gives nothing", async () => {
    const [mine, nora, berta] = [await userId("mira"), await userId("nora"), await userId("berta")];
    const balances = async () =>
      await Promise.all(
        [mine, nora, berta].map(
          async (id) => (await root("GET", `/api/user/${id}`)).body.data.quota as number,
        ),
      );
    const [first = 0, second = 0, third = 0] = await balances();
    const body = {
      ids: [mine, nora, berta, mine],
      verb: "top_up",
      quota: 2_500,
      remark: "for the course",
    };
    const preview = await ada("POST", "/api/user/bulk", { body: { ...body, preview: true } });
    expect(preview.body.data.changed).toBe(2);
    expect(outcomes(preview)).toMatchObject({
      mira: "changes",
      nora: "changes",
      berta: "user_out_of_reach",
    });
    expect(await balances()).toEqual([first, second, third]);

    const headers = { "idempotency-key": "top-up-of-the-course" };
    const done = await ada("POST", "/api/user/bulk", { body, headers });
    expect(done.body.data.rows[0]).toMatchObject({
      before: { quota: first },
      after: { quota: first + 2_500 },
    });
    expect((await ada("POST", "/api/user/bulk", { body, headers })).body.success).toBe(true);
    expect(await balances()).toEqual([first + 2_500, second + 2_500, third]);
    const { data: logs } = (await root("GET", "/api/log/?type=1&username=nora")).body;
    expect(logs[0]).toMatchObject({
      quota: 2_500,
      content: expect.stringContaining("for the course"),
    });
  });

  test("a top-up of many is whole: where one balance cannot hold it in the end, no account gets any", async () => {
    const [mine, nora] = [await userId("mira"), await userId("nora")];
    const balance = async (id: number) =>
      (await root("GET", `/api/user/${id}`)).body.data.quota as number;
    const before = [await balance(mine), await balance(nora)];
    // Both fit the limit of a balance when they are planned; the second act makes the first account
    // too rich.
    const most = { ids: [mine, nora], verb: "top_up", quota: 8_000_000_000_000_000 };
    const replies = await Promise.all(
      [1, 2].map(() => root("POST", "/api/user/bulk", { body: most })),
    );
    const changed = replies.filter(({ body }) => body.success && body.data.changed === 2);
    expect(changed).toHaveLength(1);
    expect([await balance(mine), await balance(nora)]).toEqual(
      before.map((units) => units + most.quota),
    );
  });

  test("a key is replaced in the channels of one provider, and no reply or entry holds it", async () => {
    const channel = (name: string, more: object) =>
      made(ada, "/api/channel/", {
        name,
        type: 1,
        key: `sk-old-${name}-0000`,
        models: "m",
        ...more,
      });
    const [one, two] = [await channel("one", {}), await channel("two", {})];
    const other = await channel("elsewhere", { base_url: "https://elsewhere.example" });
    const key = "sk-the-new-key-of-the-account-9876";
    const ids = [one.id, two.id, other.id, one.uuid];
    const reply = await ada("POST", "/api/channel/bulk", {
      body: { ids, verb: "replace_key", key },
    });
    expect(outcomes(reply)).toEqual({
      one: "changes",
      two: "changes",
      elsewhere: "channel_other_destination",
    });
    expect(reply.body.data.rows[0]).toMatchObject({
      before: { key_hint: "0000" },
      after: { key_hint: "9876" },
    });
    const hints = await Promise.all(
      [one, two, other].map(
        async ({ id }) => (await ada("GET", `/api/channel/${id}`)).body.data.key_hint,
      ),
    );
    expect(hints).toEqual(["9876", "9876", "0000"]);
    const stored = await gateway.db.read(
      gateway.db.sql.selectFrom("audit_entries").select("change"),
    );
    expect(JSON.stringify([reply.body, stored])).not.toContain(key);
  });

  test("a model is priced, offered and withdrawn in many channels; none loses its last model", async () => {
    const channel = (name: string, models: string) =>
      made(ada, "/api/channel/", { name, type: 1, key: "sk-cccccccccccc", models });
    const [a, b, c] = [await channel("a", "x,y"), await channel("b", "y"), await channel("c", "x")];
    const ids = [a.id, b.id, c.id];
    const act = (body: object) => ada("POST", "/api/channel/bulk", { body: { ids, ...body } });
    const priced = await act({ verb: "set_price", model: "x", ratio: 1.25, completion_ratio: 4 });
    expect(outcomes(priced)).toEqual({ a: "changes", b: "channel_model_missing", c: "changes" });
    expect((await ada("GET", `/api/channel/${c.id}`)).body.data.model_configs).toBe(
      '{"x":{"ratio":1.25,"completion_ratio":4}}',
    );
    const removed = await act({ verb: "remove_models", models: "x" });
    expect(outcomes(removed)).toEqual({
      a: "changes",
      b: "bulk_unchanged",
      c: "channel_last_model",
    });
    await act({ verb: "add_models", models: "z" });
    const models = await Promise.all(
      ids.map(async (id) => (await ada("GET", `/api/channel/${id}`)).body.data.models),
    );
    expect(models).toEqual(["y,z", "y,z", "x,z"]);
    expect((await act({ verb: "set_price", model: "x" })).status).toBe(400);
  });

  test("channels of a tag are found and changed together", async () => {
    const channel = (name: string, more: object) =>
      made(ada, "/api/channel/", { name, type: 1, key: "sk-dddddddddddd", models: "m", ...more });
    const east = await channel("east", { tag: " asia ", status: 2 });
    const south = await channel("south", {});
    const act = (body: object) =>
      ada("POST", "/api/channel/bulk", { body: { ids: [east.id, south.id], ...body } });
    const tagged = await act({ verb: "set_tag", tag: "asia" });
    expect(outcomes(tagged)).toEqual({ east: "bulk_unchanged", south: "changes" });
    expect(tagged.body.data.rows[1]).toMatchObject({ before: { tag: "" }, after: { tag: "asia" } });
    await channel("Tokyo", { tag: "Asia" });
    const tags = async () => (await ada("GET", "/api/channel/tags")).body.data;
    expect(await tags()).toEqual([
      { tag: "Asia", channels: 1, enabled: 1 },
      { tag: "asia", channels: 2, enabled: 1 },
    ]);
    const names = async (query: string) =>
      (await ada("GET", `/api/channel/${query}`)).body.data.map(
        ({ name }: { name: string }) => name,
      );
    expect(await names("?tag=asia&sort=name&order=asc")).toEqual(["east", "south"]);
    expect(await names("search?keyword=ASI&sort=name&order=asc")).toEqual([
      "east",
      "south",
      "Tokyo",
    ]);
    expect((await names("?sort=tag&order=desc&size=3")).toSorted()).toEqual([
      "Tokyo",
      "east",
      "south",
    ]);

    expect(outcomes(await act({ verb: "set_weight", weight: 7 }))).toEqual({
      east: "changes",
      south: "changes",
    });
    expect((await act({ verb: "set_weight" })).status).toBe(400);
    expect((await act({ verb: "set_tag" })).status).toBe(400);
    expect((await ada("GET", `/api/channel/${south.id}`)).body.data).toMatchObject({
      weight: 7,
      tag: "asia",
    });
    expect(outcomes(await act({ verb: "set_tag", tag: "" }))).toEqual({
      east: "changes",
      south: "changes",
    });
    expect(await tags()).toEqual([{ tag: "Asia", channels: 1, enabled: 1 }]);
  });

  test("accounts out of reach are skipped, and disabled ones are signed out", async () => {
    const names = ["mira", "nora", "berta", "ada", "root"];
    const ids = await Promise.all(names.map(userId));
    const nora = await gateway.signIn("nora");
    const reply = await ada("POST", "/api/user/bulk", { body: { ids, verb: "disable" } });
    expect(outcomes(reply)).toEqual({
      mira: "changes",
      nora: "changes",
      berta: "user_out_of_reach",
      ada: "user_out_of_reach",
      root: "user_out_of_reach",
    });
    expect((await nora("GET", "/api/user/self")).status).toBe(401);
    const own = await root("POST", "/api/user/bulk", { body: { ids, verb: "enable" } });
    expect(outcomes(own)).toMatchObject({
      mira: "changes",
      nora: "changes",
      root: "bulk_unchanged",
    });
    const itself = await root("POST", "/api/user/bulk", {
      body: { ids: [await userId("root")], verb: "disable" },
    });
    expect(outcomes(itself)).toEqual({ root: "user_is_yourself" });
    const unknown = await ada("POST", "/api/user/bulk", {
      body: { ids, verb: "set_group", group: "no such group" },
    });
    expect(unknown.body).toMatchObject({ success: false });
    mira = await gateway.signIn("mira");
  });

  test("tokens are the caller's own; administrators disable those of others, who are told", async () => {
    const [first, second] = [
      await made(mira, "/api/token/", { name: "first", unlimited_quota: true }),
      await made(mira, "/api/token/", { name: "second", unlimited_quota: true }),
    ];
    const ofRoot = await made(root, "/api/token/", { name: "of root", unlimited_quota: true });
    const ids = [first.id, second.uuid, ofRoot.id];
    const foreign = await mira("POST", "/api/token/bulk", {
      body: { ids: [ofRoot.id], verb: "delete" },
    });
    expect(foreign.body.data.rows).toMatchObject([
      { name: "", skipped: { code: "token_not_found" } },
    ]);
    expect((await mira("POST", "/api/token/all/bulk", { body: { ids } })).status).toBe(403);

    const reply = await ada("POST", "/api/token/all/bulk", { body: { ids } });
    expect(outcomes(reply)).toEqual({
      "mira: first": "changes",
      "mira: second": "changes",
      "root: of root": "user_out_of_reach",
    });
    expect((await mira("GET", "/api/token/notices")).body.data).toHaveLength(2);
    const enabled = await mira("POST", "/api/token/bulk", {
      body: { ids: [first.id, second.id], verb: "enable" },
    });
    expect(enabled.body.data.changed).toBe(2);
    const deleted = await mira("POST", "/api/token/bulk", {
      body: { ids: [first.id, second.id], verb: "delete" },
    });
    expect(deleted.body.data.changed).toBe(2);
    expect((await mira("GET", "/api/token/")).body.total).toBe(0);
  });

  test("used redemption codes are final", async () => {
    const [code] = (
      await root("POST", "/api/redemption/", { body: { name: "batch", quota: 5, count: 2 } })
    ).body.data;
    await mira("POST", "/api/user/topup", { body: { key: code } });
    const list = (await root("GET", "/api/redemption/search?keyword=batch")).body.data;
    const ids = list.map(({ id }: { id: number }) => id);
    const disabled = await root("POST", "/api/redemption/bulk", { body: { ids, verb: "disable" } });
    const codes = disabled.body.data.rows.map(
      (row: { skipped: { code: string } | null }) => row.skipped?.code ?? null,
    );
    expect(codes.sort()).toEqual([null, "redemption_used"].sort());
    expect(
      (await root("POST", "/api/redemption/bulk", { body: { ids, verb: "delete" } })).body.data
        .changed,
    ).toBe(2);
    expect((await root("GET", "/api/redemption/search?keyword=batch")).body.total).toBe(0);
  });

  test("more rows than a page of a list are refused", async () => {
    const ids = Array.from({ length: 101 }, (_, index) => index + 1);
    expect((await ada("POST", "/api/channel/bulk", { body: { ids, verb: "enable" } })).status).toBe(
      400,
    );
    expect(
      (await ada("POST", "/api/channel/bulk", { body: { ids: [], verb: "enable" } })).status,
    ).toBe(400);
  });
});
