import { createInvitationCodes } from "@tollgate/gateway/accounts/identity/accounts/invitation-code.ts";
import { hashSecret } from "@tollgate/gateway/accounts/identity/sessions/session-cookie.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";
import { codeAt } from "./totp-users.ts";

const minute = 60_000;

describe.each(ruleDatabases)("the user's own account on $name", (database) => {
  let gateway: ManagementGateway;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
  });
  afterAll(() => gateway.close());

  const audited = async (target: string) => {
    const { sql, read } = gateway.db;
    return read(
      sql.selectFrom("audit_entries").selectAll().where("target", "=", target).orderBy("id"),
    );
  };

  test("a new access token works at once, the one before never again, and only its hash is kept", async () => {
    const user = await gateway.addUser("mira");
    const client = await gateway.signIn("mira");
    const withToken = async (token: string) =>
      (
        await gateway.visitor("GET", "/api/user/self", {
          headers: { authorization: `Bearer ${token}` },
        })
      ).status;
    const tokens = [user.token];
    for (const [method, body] of [["GET", undefined] as const, ["POST", {}] as const]) {
      const { data } = (await client(method, "/api/user/token", { body })).body;
      expect(data).toMatch(/^[0-9a-f]{32}$/);
      expect(await withToken(data)).toBe(200);
      expect(await withToken(tokens.at(-1) ?? "")).toBe(401);
      tokens.push(data);
    }
    const [row] = await gateway.db.read(
      gateway.db.sql.selectFrom("users").selectAll().where("id", "=", user.id),
    );
    expect(row?.access_token_hash).toBe(hashSecret(tokens.at(-1) ?? ""));
    const entries = await audited(user.uuid);
    expect(entries.map(({ action }) => action)).toEqual([
      "user.new_access_token",
      "user.new_access_token",
    ]);
    const everything = JSON.stringify([row, entries, gateway.events]);
    for (const token of tokens) expect(everything).not.toContain(token);
    expect(JSON.stringify((await client("GET", "/api/user/self")).body)).not.toMatch(
      /[0-9a-f]{32}/,
    );
  });

  const opens = async (token: string) =>
    (await gateway.visitor("GET", "/api/user/self", { headers: { authorization: token } }))
      .status === 200;

  const endings: Record<
    string,
    (user: { id: number; username: string }, client: TestApiClient) => Promise<unknown>
  > = {
    "the own new password": (_, client) =>
      client("PUT", "/api/user/self", { body: { password: "battery staple" } }),
    "signing out everywhere else": (_, client) => client("DELETE", "/api/user/sessions"),
    "its removal": (_, client) => client("DELETE", "/api/user/token"),
    "a second factor": async (_, client) => {
      const { secret } = (await client("GET", "/api/user/totp/setup")).body.data;
      const totp_code = codeAt(secret, gateway.clock.now);
      return client("POST", "/api/user/totp/confirm", { body: { totp_code } });
    },
    "an administrator's new password": async ({ id }) =>
      (await gateway.signIn("root"))("PUT", "/api/user/", {
        body: { id, password: "battery staple" },
      }),
    "disabling, also after the account is enabled again": async ({ id }) => {
      const root = await gateway.signIn("root");
      await root("PUT", "/api/user/", { body: { id, status: 2 } });
      return root("PUT", "/api/user/", { body: { id, status: 1 } });
    },
    "an administrator's removal of the second factor": async ({ id }) => {
      const factor = { user_id: id, secret_sealed: "sealed", created_at: 1, enabled_at: 1 };
      await gateway.db.write([
        { query: gateway.db.sql.insertInto("second_factors").values(factor) },
      ]);
      return (await gateway.signIn("root"))("POST", `/api/user/totp/disable/${id}`, { body: {} });
    },
  };

  test.for(Object.entries(endings))(
    "an access token ends with %s",
    { tags: ["S2-05"] },
    async ([name, end]) => {
      const user = await gateway.addUser(`ending${Object.keys(endings).indexOf(name)}`);
      const client = await gateway.signIn(user.username);
      expect(await opens(user.token)).toBe(true);
      expect(await end(user, client)).toMatchObject({ body: { success: true } });
      expect(await opens(user.token)).toBe(false);
    },
  );

  test("an access token that changes the password or signs out all others stays, and the sessions end", async () => {
    const user = await gateway.addUser("programmed");
    const client = await gateway.signIn("programmed");
    const headers = { authorization: user.token };
    expect((await gateway.visitor("DELETE", "/api/user/sessions", { headers })).body.success).toBe(
      true,
    );
    expect((await client("GET", "/api/user/self")).status).toBe(401);
    expect(await opens(user.token)).toBe(true);
  });

  test("the profile shows when the access token was created and last used", {
    tags: ["S2-05"],
  }, async () => {
    const user = await gateway.addUser("watchful");
    const client = await gateway.signIn("watchful");
    const shown = async () => (await client("GET", "/api/user/self")).body.data.access_token;
    // The token of this user was stored as versions before this one did.
    expect(await shown()).toEqual({ created_at: null, used_at: null });
    const created_at = gateway.clock.now;
    const { data } = (await client("POST", "/api/user/token", { body: {} })).body;
    expect(await shown()).toEqual({ created_at, used_at: null });
    gateway.clock.now += minute;
    expect(await opens(data)).toBe(true);
    expect(await shown()).toEqual({ created_at, used_at: gateway.clock.now });
    await client("DELETE", "/api/user/token");
    expect(await shown()).toBeNull();
    expect((await audited(user.uuid)).map(({ action }) => action).at(-1)).toBe(
      "user.remove_access_token",
    );
  });

  test("a link on another page renews nothing, and an old sign-in has to show the password", async () => {
    const user = await gateway.addUser("linked");
    const signedIn = await gateway.visitor("POST", "/api/user/login", {
      body: { username: "linked", password },
    });
    const headers = { cookie: gateway.cookieOf(signedIn) };
    for (const path of ["/api/user/token", "/api/user/aff", "/api/user/totp/setup"])
      expect((await gateway.visitor("GET", path, { headers })).body.code, path).toBe(
        "same_origin_required",
      );
    const client = gateway.withCookie(headers.cookie);
    gateway.clock.now += 10 * minute;
    expect((await client("GET", "/api/user/token")).body.code).toBe("reauth_required");
    const withPassword = (current_password: string) =>
      client("POST", "/api/user/token", { body: { current_password } });
    expect((await withPassword("no")).body.code).toBe("current_password_wrong");
    // A token that leaked cannot renew itself and lock its owner out.
    const byToken = { headers: { authorization: user.token } };
    expect((await gateway.visitor("GET", "/api/user/token", byToken)).body.code).toBe(
      "reauth_required",
    );
    expect((await withPassword(password)).body.success).toBe(true);
    // That was proof for the next ten minutes.
    expect((await client("GET", "/api/user/token")).body.success).toBe(true);
  });

  test("the invitation code has four characters, is made once, and belongs to one user", async () => {
    const user = await gateway.addUser("inviter");
    await gateway.addUser("another");
    const [client, another] = [await gateway.signIn("inviter"), await gateway.signIn("another")];
    const asked = await Promise.all(
      Array.from({ length: 10 }, (_, n) => client(n % 2 ? "GET" : "POST", "/api/user/aff")),
    );
    const codes = new Set(asked.map(({ body }) => body.data));
    expect(codes.size).toBe(1);
    expect([...codes][0]).toMatch(/^[A-Za-z0-9]{4}$/);
    expect((await client("GET", "/api/user/self")).body.data.aff_code).toBe([...codes][0]);
    expect((await another("GET", "/api/user/self")).body.data.aff_code).toBe("");
    expect((await another("GET", "/api/user/aff")).body.data).not.toBe([...codes][0]);
    expect((await audited(user.uuid)).map(({ action }) => action)).toEqual([
      "user.new_invitation_code",
    ]);
  });

  test("a code that is taken is made anew", async () => {
    const made = ["aaaa", "aaaa", "bbbb"];
    const codes = createInvitationCodes(gateway.db, () => made.shift() ?? "");
    expect(await codes.findOrCreate(901, gateway.clock.now, () => [])).toBe("aaaa");
    expect(await codes.findOrCreate(902, gateway.clock.now, () => [])).toBe("bbbb");
    expect(await codes.findOrCreate(901, gateway.clock.now, () => [])).toBe("aaaa");
  });

  test("who leaves is gone at once, with every way in, and the name is free again", async () => {
    const user = await gateway.addUser("leaver");
    const [client, elsewhere] = [await gateway.signIn("leaver"), await gateway.signIn("leaver")];
    gateway.clock.now += 10 * minute;
    const leave = (current_password: string) =>
      client("POST", "/api/user/self/delete", { body: { current_password } });
    expect((await client("DELETE", "/api/user/self")).body.code).toBe("reauth_required");
    expect((await leave("no")).body.code).toBe("current_password_wrong");
    expect((await client("GET", "/api/user/self")).status).toBe(200);
    expect((await leave(password)).body.success).toBe(true);

    for (const way of [client, elsewhere])
      expect((await way("GET", "/api/user/self")).status).toBe(401);
    const headers = { authorization: user.token };
    expect((await gateway.visitor("GET", "/api/user/self", { headers })).status).toBe(401);
    await expect(gateway.signIn("leaver")).rejects.toThrow("Username or password is incorrect");
    expect((await audited(user.uuid)).map(({ action }) => action)).toEqual(["user.delete_self"]);
    await gateway.addUser("leaver");
    expect((await (await gateway.signIn("leaver"))("DELETE", "/api/user/self")).body.success).toBe(
      true,
    );
  });

  test("root stays", async () => {
    const root = await gateway.signIn("root");
    expect((await root("DELETE", "/api/user/self")).body.code).toBe("root_stays");
    expect(
      (await root("POST", "/api/user/self/delete", { body: { current_password: password } })).body
        .code,
    ).toBe("root_stays");
    expect((await root("GET", "/api/user/self")).status).toBe(200);
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
