import { createSessionStore } from "@tollgate/gateway/accounts/identity/sessions/session-store.ts";
import { createApiKeys } from "@tollgate/gateway/relay/admission/api-keys.ts";
import { authenticate } from "@tollgate/gateway/relay/admission/authenticate.ts";
import { purgeExpired } from "@tollgate/gateway/start/purge-expired.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const minute = 60_000;

describe.each(ruleDatabases)("the playground key on $name", (database) => {
  let gateway: ManagementGateway;
  let keys: ReturnType<typeof createApiKeys>;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    keys = createApiKeys(
      gateway.db,
      () => gateway.clock.now,
      () => [],
    );
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
  });

  const keyOf = async (client: TestApiClient) =>
    (await client("POST", "/api/user/playground_token")).body.data as {
      token: string;
      expires_at: number;
      quota: number;
    };
  /** As the relay sees it: the key without its prefix. */
  const use = (token: string) =>
    authenticate(
      { key: token.slice(3), whole: token, pin: undefined },
      keys,
      { address: "127.0.0.1", learn: () => undefined },
      gateway.clock.now,
    ).then(
      ({ username }) => username,
      (refusal: { message: string }) => refusal.message,
    );
  const tokenRows = (userId: number) =>
    gateway.db.read(gateway.db.sql.selectFrom("tokens").selectAll().where("user_id", "=", userId));

  test("works for its owner under /v1, for a quarter of an hour and a dollar", {
    tags: ["F-92"],
  }, async () => {
    const { id } = await gateway.addUser("player");
    const client = await gateway.signIn("player");
    const key = await keyOf(client);
    expect(key).toMatchObject({ expires_at: gateway.clock.now + 15 * minute, quota: 500_000 });
    expect(await use(key.token)).toBe("player");
    const [row] = await tokenRows(id);
    expect(row).toMatchObject({ unlimited_quota: 0, remain_quota: 500_000 });
    gateway.clock.now += 15 * minute;
    expect(await use(key.token)).toContain("expired");
  });

  test("stays the same while it is good, also for two tabs at once, and is replaced before it ends", async () => {
    const { id } = await gateway.addUser("tabs");
    const client = await gateway.signIn("tabs");
    const [first, second] = await Promise.all([keyOf(client), keyOf(client)]);
    expect(second.token).toBe(first.token);
    expect(await use(first.token)).toBe("tabs");
    gateway.clock.now += 10 * minute;
    const renewed = await keyOf(client);
    expect(renewed.token).not.toBe(first.token);
    expect(await use(renewed.token)).toBe("tabs");
    expect(await use(first.token)).toContain("not valid");
    expect(await tokenRows(id)).toHaveLength(1);
  });

  test("is in no list, cannot be read or changed as a token, and gives no access to /api", {
    tags: ["F-23"],
  }, async () => {
    const { id } = await gateway.addUser("hidden");
    const client = await gateway.signIn("hidden");
    const { token } = await keyOf(client);
    const [row] = await tokenRows(id);
    for (const path of ["/api/token/", "/api/token/search", "/api/token/search?keyword=Play"])
      expect((await client("GET", path)).body).toMatchObject({ data: [], total: 0 });
    for (const reference of [row?.id, row?.uuid]) {
      expect((await client("GET", `/api/token/${reference}`)).body.code).toBe("token_not_found");
      expect((await client("DELETE", `/api/token/${reference}`)).body.code).toBe("token_not_found");
    }
    const body = { id: row?.id, unlimited_quota: true };
    expect((await client("PUT", "/api/token/", { body })).body.code).toBe("token_not_found");
    const headers = { authorization: `Bearer ${token}` };
    expect((await gateway.visitor("GET", "/api/user/self", { headers })).status).toBe(401);
  });

  test("is not for those who come with an access token", async () => {
    const { token } = await gateway.addUser("scripted");
    const reply = await gateway.visitor("POST", "/api/user/playground_token", {
      headers: { authorization: token },
    });
    expect(reply.body.code).toBe("playground_needs_session");
  });

  test.each([
    ["signing out", (client: TestApiClient) => client("GET", "/api/user/logout")],
    [
      "a new password chosen elsewhere",
      async (_: TestApiClient, username: string) => {
        const other = await gateway.signIn(username);
        return other("PUT", "/api/user/self", { body: { password: "another passphrase" } });
      },
    ],
    [
      "signing out everywhere else",
      async (_: TestApiClient, username: string) =>
        (await gateway.signIn(username))("DELETE", "/api/user/sessions"),
    ],
  ])("ends at once with %s", async (name, end) => {
    const username = name.replaceAll(" ", "-").slice(0, 20);
    await gateway.addUser(username);
    const client = await gateway.signIn(username, password);
    const { token } = await keyOf(client);
    expect(await use(token)).toBe(username);
    expect((await end(client, username)).body.success).toBe(true);
    expect(await use(token)).toContain("not valid");
  });

  test("goes away some time after it has expired, and other tokens stay", async () => {
    const { id } = await gateway.addUser("tidy");
    const client = await gateway.signIn("tidy");
    await client("POST", "/api/token/", {
      body: { name: "kept", remain_quota: 5, expired_time: 1 },
    });
    await keyOf(client);
    const forget = () =>
      purgeExpired(gateway.db, createSessionStore(gateway.db), gateway.clock.now);
    await forget();
    expect(await tokenRows(id)).toHaveLength(2);
    gateway.clock.now += 15 * minute;
    await forget();
    expect((await tokenRows(id)).map(({ name }) => name)).toEqual(["kept"]);
  });
});
