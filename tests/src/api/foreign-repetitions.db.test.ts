// Calls of other gateways that a script sends again with the same Idempotency-Key.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describe.each(testDatabases)("a call of another gateway that is repeated on $name", (database) => {
  let gateway: ManagementGateway;
  let admin: TestApiClient;
  let mira: TestApiClient;
  let noorId: number;
  const send = async (client: TestApiClient, path: string, body: unknown, key?: string) => {
    const headers = key === undefined ? {} : { "idempotency-key": key };
    const { status, body: reply } = await client("POST", path, { headers, body });
    return { status, reply: reply as unknown as Record<string, unknown> };
  };
  const quota = async () => (await admin("GET", `/api/user/${noorId}`)).body.data.quota;
  const move = (mode: string, value: number, key?: string) =>
    send(admin, "/api/user/manage", { id: noorId, action: "add_quota", mode, value }, key);

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    const bearer =
      (token: string): TestApiClient =>
      (method, path, { headers, ...rest } = {}) =>
        gateway.visitor(method, path, {
          ...rest,
          headers: { authorization: `Bearer ${token}`, ...headers },
        });
    admin = bearer((await gateway.addUser("ada", { role: 10 })).token);
    mira = bearer((await gateway.addUser("mira")).token);
    noorId = (
      await admin("POST", "/api/user/", {
        body: { username: "noor", password: "correct horse", quota: 1_000 },
      })
    ).body.data.id;
  });
  afterAll(() => gateway.close());

  test("grants or takes quota once with the same Idempotency-Key, and each time without one", {
    tags: ["FT-27"],
  }, async () => {
    for (let n = 0; n < 3; n += 1) expect((await move("add", 500, "grant-1")).status).toBe(200);
    expect(await quota()).toBe(1_500);
    for (let n = 0; n < 3; n += 1) expect((await move("subtract", 200, "take-1")).status).toBe(200);
    expect(await quota()).toBe(1_300);
    expect((await move("add", 501, "grant-1")).status).toBe(409);
    await move("add", 10);
    await move("add", 10);
    await move("add", 10, "grant-2");
    expect(await quota()).toBe(1_330);
    expect((await move("add", 10, "é")).status).toBe(400);
    expect((await move("add", 10, "x".repeat(129))).status).toBe(400);
    expect(await quota()).toBe(1_330);
  });

  test("grants once where both arrive at once", async () => {
    const before = await quota();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => move("add", 100, "together")),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect(await quota()).toBe(before + 100);
  });

  test("makes one key, also where its end is counted from now, and shows it again", async () => {
    const body = { key_alias: "once", duration: "30d", max_budget: 1, blocked: true };
    const first = await send(mira, "/key/generate", body, "key-1");
    gateway.clock.now += 5_000;
    const again = await send(mira, "/key/generate", body, "key-1");
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.reply).toMatchObject({
      key: first.reply.key,
      expires: first.reply.expires,
      blocked: true,
    });
    expect((await mira("GET", "/api/token/search?keyword=once")).body.data).toHaveLength(1);
    expect((await send(mira, "/key/generate", { ...body, duration: "31d" }, "key-1")).status).toBe(
      409,
    );
  });

  test("makes one user", async () => {
    const body = { user_id: "olaf", max_budget: 2, auto_create_key: false };
    const first = await send(admin, "/user/new", body, "user-1");
    const again = await send(admin, "/user/new", body, "user-1");
    expect([first.status, again.status, again.reply.user_id]).toEqual([
      200,
      200,
      first.reply.user_id,
    ]);
    expect((await send(admin, "/user/new", body, "user-2")).status).not.toBe(200);
  });
});
