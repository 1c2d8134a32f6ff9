import { sessionStore } from "@tollgate/gateway/identity/sessions/session-store.ts";
import { purgeExpired } from "@tollgate/gateway/purge-expired.ts";
import { createApiKeys } from "@tollgate/gateway/relay/admission/api-keys.ts";
import { authenticate } from "@tollgate/gateway/relay/admission/authenticate.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { type Client, createWorld, password, type World } from "./world.ts";

const minute = 60_000;

describe.each(testDatabases)("the playground key on $name", (database) => {
  let world: World;
  let keys: ReturnType<typeof createApiKeys>;
  beforeAll(async () => {
    world = await createWorld(database);
    keys = createApiKeys(world.db, () => world.clock.now);
  });
  afterAll(async () => {
    expect(world.problems).toEqual([]);
    await world.close();
  });

  const keyOf = async (client: Client) =>
    (await client("POST", "/api/user/playground_token")).body.data as {
      token: string;
      expires_at: number;
      quota: number;
    };
  /** As the relay sees it: the key without its prefix. */
  const use = (token: string) =>
    authenticate({ key: token.slice(3), pin: undefined }, keys, "127.0.0.1", world.clock.now).then(
      ({ username }) => username,
      (refusal: { message: string }) => refusal.message,
    );
  const tokenRows = (userId: number) =>
    world.db.read(world.db.sql.selectFrom("tokens").selectAll().where("user_id", "=", userId));

  test("works for its owner under /v1, for a quarter of an hour and a dollar", async () => {
    const { id } = await world.addUser("player");
    const client = await world.signIn("player");
    const key = await keyOf(client);
    expect(key).toMatchObject({ expires_at: world.clock.now + 15 * minute, quota: 500_000 });
    expect(await use(key.token)).toBe("player");
    const [row] = await tokenRows(id);
    expect(row).toMatchObject({ unlimited_quota: 0, remain_quota: 500_000 });
    world.clock.now += 15 * minute;
    expect(await use(key.token)).toContain("expired");
  });

  test("stays the same while it is good, also for two tabs at once, and is replaced before it ends", async () => {
    const { id } = await world.addUser("tabs");
    const client = await world.signIn("tabs");
    const [first, second] = await Promise.all([keyOf(client), keyOf(client)]);
    expect(second.token).toBe(first.token);
    expect(await use(first.token)).toBe("tabs");
    world.clock.now += 10 * minute;
    const renewed = await keyOf(client);
    expect(renewed.token).not.toBe(first.token);
    expect(await use(renewed.token)).toBe("tabs");
    expect(await use(first.token)).toContain("not valid");
    expect(await tokenRows(id)).toHaveLength(1);
  });

  test("stands in no list, cannot be read or changed as a token, and opens nothing on /api", async () => {
    const { id } = await world.addUser("hidden");
    const client = await world.signIn("hidden");
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
    expect((await world.visitor("GET", "/api/user/self", { headers })).status).toBe(401);
  });

  test("is not for those who come with an access token", async () => {
    const { token } = await world.addUser("scripted");
    const reply = await world.visitor("POST", "/api/user/playground_token", { headers: { authorization: token } });
    expect(reply.body.code).toBe("playground_needs_session");
  });

  test.each([
    ["signing out", (client: Client) => client("GET", "/api/user/logout")],
    [
      "a new password chosen elsewhere",
      async (_: Client, username: string) => {
        const other = await world.signIn(username);
        return other("PUT", "/api/user/self", { body: { password: "another passphrase" } });
      },
    ],
    [
      "signing out everywhere else",
      async (_: Client, username: string) => (await world.signIn(username))("DELETE", "/api/user/sessions"),
    ],
  ])("ends at once with %s", async (name, end) => {
    const username = name.replaceAll(" ", "-").slice(0, 20);
    await world.addUser(username);
    const client = await world.signIn(username, password);
    const { token } = await keyOf(client);
    expect(await use(token)).toBe(username);
    expect((await end(client, username)).body.success).toBe(true);
    expect(await use(token)).toContain("not valid");
  });

  test("goes away some time after it has expired, and other tokens stay", async () => {
    const { id } = await world.addUser("tidy");
    const client = await world.signIn("tidy");
    await client("POST", "/api/token/", { body: { name: "kept", remain_quota: 5, expired_time: 1 } });
    await keyOf(client);
    const forget = () => purgeExpired(world.db, sessionStore(world.db), world.clock.now);
    await forget();
    expect(await tokenRows(id)).toHaveLength(2);
    world.clock.now += 15 * minute;
    await forget();
    expect((await tokenRows(id)).map(({ name }) => name)).toEqual(["kept"]);
  });
});
