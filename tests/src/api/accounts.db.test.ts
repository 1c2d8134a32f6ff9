import { createInvitationCodes } from "@tollgate/gateway/identity/accounts/invitation-code.ts";
import { hashSecret } from "@tollgate/gateway/identity/sessions/session-cookie.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { type ManagementGateway, password, startManagementGateway } from "./management-gateway.ts";

const minute = 60_000;

describe.each(testDatabases)("the user's own account on $name", (database) => {
  let gateway: ManagementGateway;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
  });
  afterAll(() => gateway.close());

  const audited = async (target: string) => {
    const { sql, read } = gateway.db;
    return read(sql.selectFrom("audit_entries").selectAll().where("target", "=", target).orderBy("id"));
  };

  test("a new access token works at once, the one before never again, and only its hash is kept", async () => {
    const user = await gateway.addUser("mira");
    const client = await gateway.signIn("mira");
    const withToken = async (token: string) =>
      (await gateway.visitor("GET", "/api/user/self", { headers: { authorization: `Bearer ${token}` } })).status;
    const tokens = [user.token];
    for (const [method, body] of [["GET", undefined] as const, ["POST", {}] as const]) {
      const { data } = (await client(method, "/api/user/token", { body })).body;
      expect(data).toMatch(/^[0-9a-f]{32}$/);
      expect(await withToken(data)).toBe(200);
      expect(await withToken(tokens.at(-1) ?? "")).toBe(401);
      tokens.push(data);
    }
    const [row] = await gateway.db.read(gateway.db.sql.selectFrom("users").selectAll().where("id", "=", user.id));
    expect(row?.access_token_hash).toBe(hashSecret(tokens.at(-1) ?? ""));
    const entries = await audited(user.uuid);
    expect(entries.map(({ action }) => action)).toEqual(["user.new_access_token", "user.new_access_token"]);
    const everything = JSON.stringify([row, entries, gateway.events]);
    for (const token of tokens) expect(everything).not.toContain(token);
    expect(JSON.stringify((await client("GET", "/api/user/self")).body)).not.toMatch(/[0-9a-f]{32}/);
  });

  test("a link on another page renews nothing, and an old sign-in has to show the password", async () => {
    const user = await gateway.addUser("linked");
    const signedIn = await gateway.visitor("POST", "/api/user/login", { body: { username: "linked", password } });
    const headers = { cookie: gateway.cookieOf(signedIn) };
    for (const path of ["/api/user/token", "/api/user/aff", "/api/user/totp/setup"])
      expect((await gateway.visitor("GET", path, { headers })).body.code, path).toBe("same_origin_required");
    const client = gateway.withCookie(headers.cookie);
    gateway.clock.now += 10 * minute;
    expect((await client("GET", "/api/user/token")).body.code).toBe("reauth_required");
    const withPassword = (current_password: string) =>
      client("POST", "/api/user/token", { body: { current_password } });
    expect((await withPassword("no")).body.code).toBe("current_password_wrong");
    // A token that leaked cannot renew itself and lock its owner out.
    const byToken = { headers: { authorization: user.token } };
    expect((await gateway.visitor("GET", "/api/user/token", byToken)).body.code).toBe("reauth_required");
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
    expect((await audited(user.uuid)).map(({ action }) => action)).toEqual(["user.new_invitation_code"]);
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
    const leave = (current_password: string) => client("POST", "/api/user/self/delete", { body: { current_password } });
    expect((await client("DELETE", "/api/user/self")).body.code).toBe("reauth_required");
    expect((await leave("no")).body.code).toBe("current_password_wrong");
    expect((await client("GET", "/api/user/self")).status).toBe(200);
    expect((await leave(password)).body.success).toBe(true);

    for (const way of [client, elsewhere]) expect((await way("GET", "/api/user/self")).status).toBe(401);
    const headers = { authorization: user.token };
    expect((await gateway.visitor("GET", "/api/user/self", { headers })).status).toBe(401);
    await expect(gateway.signIn("leaver")).rejects.toThrow("Username or password is incorrect");
    expect((await audited(user.uuid)).map(({ action }) => action)).toEqual(["user.delete_self"]);
    await gateway.addUser("leaver");
    expect((await (await gateway.signIn("leaver"))("DELETE", "/api/user/self")).body.success).toBe(true);
  });

  test("root stays", async () => {
    const root = await gateway.signIn("root");
    expect((await root("DELETE", "/api/user/self")).body.code).toBe("root_stays");
    expect((await root("POST", "/api/user/self/delete", { body: { current_password: password } })).body.code).toBe(
      "root_stays",
    );
    expect((await root("GET", "/api/user/self")).status).toBe(200);
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
