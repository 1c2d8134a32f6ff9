// Kept contents of calls: who asks for them, who reads them, and how they go.
import { createBodyStore } from "@tollgate/gateway/call-bodies/body-store.ts";
import { removeBodies } from "@tollgate/gateway/call-bodies/remove-bodies.ts";
import { buildOptionReader } from "@tollgate/gateway/settings/live-options.ts";
import { tryWrite } from "@tollgate/gateway/storage/database.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";
import { addCallBody } from "./seed-bodies.ts";
import { addSettledCall } from "./seed-logs.ts";

const dayMs = 86_400_000;
const minuteMs = 60_000;
const signal = new AbortController().signal;
const text = (value: string) => ({ text: value, type: "application/json", is_cut: false });
const body = { mode: "redacted" as const, request: text('{"q":1}'), answer: text('{"a":2}') };

describeVariants(testDatabases)("kept contents of calls on $name", (database) => {
  let gateway: ManagementGateway;
  let mira: { id: number; username: string };
  let [owner, stranger, admin, other, root]: TestApiClient[] = [];
  let tokenId = 0;

  const as = (client: TestApiClient | undefined) => client ?? gateway.visitor;
  const keepingToken = async (
    client: TestApiClient | undefined,
    bodies = "redacted",
  ): Promise<number> => {
    const reply = await as(client)("POST", "/api/token/", {
      body: { name: "k", unlimited_quota: true, bodies },
    });
    return reply.body.data.id;
  };
  const keptCall = async (token = tokenId, createdAt = gateway.clock.now) => {
    const id = await addSettledCall(
      gateway,
      mira,
      createdAt,
      { token_id: token },
      { url: "/v1/chat/completions", method: "POST", body_size: 7, status: 200, timestamps: {} },
    );
    const name = await addCallBody(
      gateway,
      { id, userId: mira.id, tokenId: token, createdAt },
      body,
    );
    return { id, name, path: `/api/trace/log/${id}/body` };
  };
  const entries = () =>
    gateway.db.read(
      gateway.db.sql
        .selectFrom("audit_entries")
        .select(["action", "actor_id", "change"])
        .where("action", "like", "body.%")
        .orderBy("id"),
    );
  const remove = (
    days = "30",
    objects: Parameters<typeof removeBodies>[0]["objects"] = inMemory(),
  ) => {
    gateway.clock.now += 2 * minuteMs;
    const options = buildOptionReader(new Map([["BodyRetentionDays", days]]));
    return removeBodies(
      { db: gateway.db, store: createBodyStore(gateway.db), objects, options, signal },
      gateway.clock.now,
    );
  };
  const inMemory = () => ({
    put: async () => undefined,
    get: async () => undefined,
    remove: async (name: string) => void gateway.tests.bodies.delete(name),
    close: async () => undefined,
  });
  const tokensOfContents = async () => {
    const ids = gateway.db.sql
      .selectFrom("call_bodies")
      .select("token_id")
      .distinct()
      .orderBy("token_id");
    return (await gateway.db.read(ids)).map(({ token_id }) => token_id);
  };
  const names = () => [...gateway.tests.bodies.keys()].sort();
  const rows = () =>
    gateway.db.read(gateway.db.sql.selectFrom("call_bodies").select(["id", "key_sealed"]));

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    mira = await gateway.addUser("mira");
    await gateway.addUser("noor");
    await gateway.addUser("adam", { role: 10 });
    await gateway.addUser("ada", { role: 10 });
    [owner, stranger, admin, other] = await Promise.all(
      ["mira", "noor", "adam", "ada"].map((name) => gateway.signIn(name)),
    );
    root = await gateway.signIn("root");
    tokenId = await keepingToken(owner);
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    // Ids are times: each call has its own.
    gateway.clock.now += minuteMs;
    gateway.tests.bodies.clear();
    await gateway.db.write([
      { query: gateway.db.sql.deleteFrom("call_bodies") },
      { query: gateway.db.sql.deleteFrom("audit_entries") },
    ]);
  });

  test("a key says what it keeps, nothing by default, and only one of three words", async () => {
    const plain = await as(owner)("POST", "/api/token/", { body: { name: "plain" } });
    expect(plain.body.data).toMatchObject({ bodies: "" });
    const { id } = plain.body.data;
    const change = async (bodies: unknown) =>
      as(owner)("PUT", "/api/token/", { body: { id, bodies } });
    expect((await change("full")).body.data).toMatchObject({ bodies: "full" });
    expect((await change(null)).body.data).toMatchObject({ bodies: "" });
    expect((await change("everything")).body).toMatchObject({
      success: false,
      message: 'bodies must be "", redacted or full',
    });
  });

  test("the owner reads them, and those who manage the account; each view is recorded", async () => {
    const { id, path } = await keptCall();
    for (const client of [owner, admin, root]) {
      const reply = await as(client)("GET", path);
      expect(reply.body).toMatchObject({
        success: true,
        data: { ...body, created_at: gateway.clock.now },
      });
      const trace = await as(client)("GET", `/api/trace/log/${id}`);
      expect(trace.body.data).toMatchObject({
        body: { mode: "redacted", created_at: gateway.clock.now },
      });
    }
    const views = await entries();
    expect(views.map(({ action }) => action)).toEqual(["body.view", "body.view", "body.view"]);
    expect(new Set(views.map(({ actor_id }) => actor_id)).size).toBe(3);
    expect(JSON.stringify(views)).not.toContain('{\\"q\\":1}');
  });

  test("no other user reads them, and their views are not recorded", async () => {
    const { id, path } = await keptCall();
    expect((await as(stranger)("GET", path)).body).toMatchObject({ code: "body_not_found" });
    expect((await gateway.visitor("GET", path)).status).toBe(401);
    // An administrator manages no other administrator.
    const adams = await keepingToken(admin);
    const [{ id: adamId = 0 } = {}] = await gateway.db.read(
      gateway.db.sql.selectFrom("users").select("id").where("username", "=", "adam"),
    );
    const adamsCall = await addSettledCall(
      gateway,
      { id: adamId, username: "adam" },
      gateway.clock.now + 5,
      { token_id: adams },
      { url: "/", method: "POST", body_size: 1, status: 200, timestamps: {} },
    );
    await addCallBody(gateway, { id: adamsCall, userId: adamId, tokenId: adams }, body);
    expect((await as(other)("GET", `/api/trace/log/${adamsCall}/body`)).body).toMatchObject({
      code: "body_not_found",
    });
    expect((await as(other)("GET", `/api/trace/log/${adamsCall}`)).body.data).not.toHaveProperty(
      "body",
    );
    expect((await as(root)("GET", `/api/trace/log/${adamsCall}/body`)).body.success).toBe(true);
    expect(await entries()).toHaveLength(1);
    expect(id).toBeGreaterThan(0);
  });

  test("a management key needs a scope of its own", async () => {
    const { path } = await keptCall();
    const keyWith = async (scope: string) => {
      const input = { name: scope, scopes: [scope], lifetime_days: 1 };
      const { data } = (await as(owner)("POST", "/api/management_key/", { body: input })).body;
      return { headers: { authorization: `Bearer ${data.key}` } };
    };
    expect((await gateway.visitor("GET", path, await keyWith("logs:read"))).status).toBe(403);
    expect((await gateway.visitor("GET", path, await keyWith("bodies:read"))).body).toMatchObject({
      success: true,
    });
    expect((await gateway.visitor("DELETE", path, await keyWith("bodies:read"))).status).toBe(403);
  });

  test("deleted contents cannot be read from that moment, and the object goes next", async () => {
    const { path } = await keptCall();
    expect((await as(owner)("DELETE", path)).body.success).toBe(true);
    expect((await as(owner)("GET", path)).body).toMatchObject({ code: "body_not_found" });
    expect((await as(owner)("DELETE", path)).body).toMatchObject({ code: "body_not_found" });
    expect((await entries()).map(({ action }) => action)).toEqual(["body.delete"]);
    expect(await rows()).toMatchObject([{ key_sealed: "" }]);
    await remove();
    expect([names(), await rows()]).toEqual([[], []]);
  });

  test("an object that was put in the place of another one is not shown", async () => {
    const [one, two] = [await keptCall(), await keptCall(tokenId, gateway.clock.now - 1_000)];
    gateway.tests.bodies.set(one.name, gateway.tests.bodies.get(two.name) ?? Buffer.alloc(0));
    expect((await as(owner)("GET", one.path)).status).toBe(500);
    expect(gateway.problems.splice(0)).toHaveLength(1);
    gateway.tests.bodies.delete(two.name);
    expect((await as(owner)("GET", two.path)).body).toMatchObject({ code: "body_missing" });
    expect(await entries()).toEqual([]);
  });

  test("old contents go after their days, the others stay", async () => {
    const now = gateway.clock.now;
    const old = await keptCall(tokenId, now - 8 * dayMs);
    const fresh = await keptCall(tokenId, now - 6 * dayMs);
    await remove("0");
    expect(names()).toEqual([fresh.name, old.name].sort());
    await remove("7");
    expect(names()).toEqual([fresh.name]);
    expect(await rows()).toMatchObject([{ id: fresh.id }]);
  });

  test("with a key go the contents of its calls, and with a user those of all keys", async () => {
    const extra = await keepingToken(owner);
    const mine = await keptCall();
    const gone = await keptCall(extra, gateway.clock.now - 1_000);
    expect((await as(owner)("DELETE", `/api/token/${extra}`)).body.success).toBe(true);
    // Before anything ran by the clock.
    expect((await as(owner)("GET", gone.path)).body).toMatchObject({ code: "body_not_found" });
    await remove();
    expect(names()).toEqual([mine.name]);
    const paul = await gateway.addUser("paul");
    const pauls = await keepingToken(await gateway.signIn("paul"));
    const call = await addSettledCall(gateway, paul, gateway.clock.now + 9, { token_id: pauls });
    const name = await addCallBody(gateway, { id: call, userId: paul.id, tokenId: pauls }, body);
    expect(names()).toContain(name);
    expect((await as(root)("DELETE", `/api/user/${paul.id}`)).body.success).toBe(true);
    expect((await as(root)("GET", `/api/trace/log/${call}/body`)).body).toMatchObject({
      code: "body_not_found",
    });
    await remove();
    expect(names()).toEqual([mine.name]);
    expect((await as(owner)("GET", mine.path)).body.success).toBe(true);
  });

  test("objects that cannot be removed are tried again, unreadable meanwhile", async () => {
    const { path, name } = await keptCall();
    await as(owner)("DELETE", path);
    const failing = {
      ...inMemory(),
      remove: () => Promise.reject(new Error("the bucket is away")),
    };
    await expect(remove("30", failing)).rejects.toThrow("the bucket is away");
    expect([names(), await rows()]).toMatchObject([[name], [{ key_sealed: "" }]]);
    await remove();
    expect([names(), await rows()]).toEqual([[], []]);
  });

  test("wherever a process dies between two of its writes, nothing readable is left behind, and the rest goes in time", async () => {
    // Between the row and the object: nothing to show, which the reader is told, and the row goes
    // with its days.
    const unstored = await keptCall();
    gateway.tests.bodies.delete(unstored.name);
    expect((await as(owner)("GET", unstored.path)).body).toMatchObject({ code: "body_missing" });
    // Between the removal of an object and of its row: the next run, of any node, removes an object
    // that is not there.
    const removed = await keptCall(tokenId, gateway.clock.now - 1_000);
    expect((await as(owner)("DELETE", removed.path)).body.success).toBe(true);
    gateway.tests.bodies.delete(removed.name);
    // Between the end of a key and the removal of its contents.
    const orphan = await keptCall(await keepingToken(owner), gateway.clock.now - 2_000);
    await gateway.db.write([
      {
        query: gateway.db.sql
          .deleteFrom("tokens")
          .where("id", "=", (await tokensOfContents()).at(-1) ?? 0),
      },
    ]);
    expect((await as(owner)("GET", orphan.path)).body).toMatchObject({ code: "body_not_found" });
    await Promise.all([remove(), remove()]);
    await remove();
    expect([names(), (await rows()).map(({ id }) => id)]).toEqual([[], [unstored.id]]);
    gateway.clock.now += 31 * dayMs;
    await remove();
    expect([names(), await rows()]).toEqual([[], []]);
  });

  test("nothing is kept of a call whose key was deleted or changed meanwhile", async () => {
    const { insert } = createBodyStore(gateway.db);
    const row = { user_id: mira.id, token_id: tokenId, key_sealed: "sealed", created_at: 1 };
    expect(
      await tryWrite(gateway.db, [insert({ ...row, id: 1, mode: "redacted" })]),
    ).toBeUndefined();
    expect(await tryWrite(gateway.db, [insert({ ...row, id: 2, mode: "full" })])).toBeDefined();
    expect(
      await tryWrite(gateway.db, [insert({ ...row, id: 3, mode: "redacted", token_id: 99_999 })]),
    ).toBeDefined();
    expect((await rows()).map(({ id }) => id)).toEqual([1]);
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
