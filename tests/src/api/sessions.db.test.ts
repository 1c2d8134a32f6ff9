import {
  ensureRoot,
  resetRootPassword,
} from "@tollgate/gateway/accounts/identity/users/root-account.ts";
import { createUserStore } from "@tollgate/gateway/accounts/identity/users/user-store.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleDatabases } from "../support/test-databases.ts";
import { type ManagementGateway, password, startManagementGateway } from "./management-gateway.ts";

const minute = 60_000;
const hour = 60 * minute;

describe.each(ruleDatabases)("sessions on $name", (database) => {
  let gateway: ManagementGateway;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
  });
  afterAll(() => gateway.close());

  test("signing in gives a cookie that scripts cannot read and a user without secrets", async () => {
    const reply = await gateway.visitor("POST", "/api/user/login", {
      body: { username: "root", password },
    });
    expect(reply.status).toBe(200);
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(
        /^device=[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    expect(reply.headers.get("cache-control")).toBe("no-store");
    expect(reply.headers.get("x-oneapi-request-id")).toMatch(/^\d{21}$/);
    expect(reply.body.data).toMatchObject({
      username: "root",
      role: 100,
      quota: 5e14,
      must_change_password: false,
    });
    expect(JSON.stringify(reply.body)).not.toMatch(/argon2|hash/);
  });

  test("wrong passwords of users, unknown users and disabled users are answered alike", {
    tags: ["F-07"],
  }, async () => {
    await gateway.addUser("dormant", { status: 2 });
    const answers = await Promise.all(
      [
        ["root", "wrong"],
        ["nobody", password],
        ["dormant", "wrong"],
      ].map(([username, secret]) =>
        gateway.visitor("POST", "/api/user/login", { body: { username, password: secret } }),
      ),
    );
    for (const { status, body } of answers)
      expect([status, body]).toEqual([
        200,
        { success: false, message: "Username or password is incorrect", code: "wrong_credentials" },
      ]);
  });

  test("the owner of a disabled account, who knows its password, reads that it is disabled", async () => {
    await gateway.addUser("asleep", { status: 2 });
    const reply = await gateway.visitor("POST", "/api/user/login", {
      body: { username: "asleep", password },
    });
    expect([reply.status, reply.body.code, reply.headers.getSetCookie()]).toEqual([
      200,
      "account_disabled",
      [],
    ]);
  });

  test("a mail address signs in as well", async () => {
    await gateway.addUser("mailed");
    const reply = await gateway.visitor("POST", "/api/user/login", {
      body: { username: "mailed@example.org", password },
    });
    expect(reply.body.data.username).toBe("mailed");
  });

  test("after logout the cookie is invalid, and logging out always succeeds", {
    tags: ["F-03"],
  }, async () => {
    for (const method of ["GET", "POST"]) {
      const client = await gateway.signIn("root");
      expect((await client("GET", "/api/user/self")).status).toBe(200);
      const out = await client(method, "/api/user/logout");
      expect(out.body.success).toBe(true);
      expect(out.headers.get("set-cookie")).toMatch(/^session=; Max-Age=0;/);
      const after = await client("GET", "/api/user/self");
      expect([after.status, after.body.code]).toEqual([401, "not_logged_in"]);
      expect((await client(method, "/api/user/logout")).body.success).toBe(true);
    }
  });

  test("a planted session id does not survive signing in, nor does the session before", {
    tags: ["F-13"],
  }, async () => {
    const planted = `session=${"A".repeat(43)}`;
    const first = await gateway.visitor("POST", "/api/user/login", {
      body: { username: "root", password },
      headers: { cookie: planted },
    });
    const cookie = gateway.cookieOf(first);
    expect(cookie).not.toBe(planted);
    const second = await gateway.visitor("POST", "/api/user/login", {
      body: { username: "root", password },
      headers: { cookie },
    });
    expect((await gateway.withCookie(planted)("GET", "/api/user/self")).status).toBe(401);
    expect((await gateway.withCookie(cookie)("GET", "/api/user/self")).status).toBe(401);
    expect(
      (await gateway.withCookie(gateway.cookieOf(second))("GET", "/api/user/self")).status,
    ).toBe(200);
  });

  test("a session ends after a day unseen and after seven days at the latest", async () => {
    const start = gateway.clock.now;
    const [busy, idle] = [await gateway.signIn("root"), await gateway.signIn("root")];
    for (let hours = 0; hours < 7 * 24; hours += 23) {
      gateway.clock.now = start + hours * hour;
      expect((await busy("GET", "/api/user/self")).status).toBe(200);
    }
    expect((await idle("GET", "/api/user/self")).status).toBe(401);
    gateway.clock.now = start + 7 * 24 * hour + 1;
    expect((await busy("GET", "/api/user/self")).status).toBe(401);
  });

  test("role and status are those of the moment", { tags: ["F-04"] }, async () => {
    const user = await gateway.addUser("demoted", { role: 10 });
    const client = await gateway.signIn("demoted");
    expect((await client("GET", "/api/channel/")).status).toBe(200);
    const set = (change: { role?: number; status?: number }) =>
      gateway.db.write([
        { query: gateway.db.sql.updateTable("users").set(change).where("id", "=", user.id) },
      ]);
    await set({ role: 1 });
    expect((await client("GET", "/api/channel/")).status).toBe(403);
    await set({ status: 2 });
    const disabled = await client("GET", "/api/user/self");
    expect([disabled.status, disabled.body.code]).toEqual([401, "user_disabled"]);
  });

  test("what a cookie changes needs proof of our own pages; an access token needs none", async () => {
    const user = await gateway.addUser("prover");
    const signedIn = await gateway.visitor("POST", "/api/user/login", {
      body: { username: "prover", password },
    });
    const cookie = gateway.cookieOf(signedIn);
    const body = { name: "a" };
    const send = (headers: Record<string, string>) =>
      gateway.visitor("POST", "/api/token/", { body, headers });

    // A program sends neither origin nor fetch metadata, and declares JSON; a form cannot.
    expect((await send({ cookie })).body.success).toBe(true);
    const form = await send({ cookie, "content-type": "text/plain" });
    expect([form.status, form.body.code]).toEqual([400, "same_origin_required"]);
    expect((await send({ cookie, origin: gateway.url })).body.success).toBe(true);
    for (const origin of ["null", "http://elsewhere.example"])
      expect((await send({ cookie, origin })).body.code, origin).toBe("same_origin_required");
    for (const site of ["cross-site", "same-site", "none"])
      expect((await send({ cookie, "sec-fetch-site": site })).status, site).toBe(400);
    expect((await send({ cookie, "sec-fetch-site": "same-origin" })).body.success).toBe(true);
    expect((await send({ cookie, "x-tollgate-console": "1" })).body.success).toBe(true);
    expect((await send({ authorization: `Bearer ${user.token}` })).body.success).toBe(true);
    expect((await send({ authorization: user.token })).body.success).toBe(true);

    const logout = await gateway.visitor("GET", "/api/user/logout", { headers: { cookie } });
    expect([logout.status, logout.body.code]).toEqual([400, "same_origin_required"]);
    expect((await gateway.visitor("GET", "/api/user/self", { headers: { cookie } })).status).toBe(
      200,
    );
  });

  test("a wrong access token and any part of a right one are refused", {
    tags: ["F-01"],
  }, async () => {
    const { token } = await gateway.addUser("tokened");
    const attempts = [
      ...Array.from({ length: token.length }, (_, length) => token.slice(0, length + 1)),
      `${token}0`,
    ];
    for (const attempt of attempts) {
      const reply = await gateway.visitor("GET", "/api/user/self", {
        headers: { authorization: attempt },
      });
      expect(reply.status, attempt).toBe(attempt === token ? 200 : 401);
      if (attempt !== token) expect(reply.body.message).toMatch(/access token is invalid$/);
    }
  });
});

describe.each(ruleDatabases)("passwords on $name", (database) => {
  let gateway: ManagementGateway;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
  });
  afterAll(() => gateway.close());

  const renew = { password: "battery staple" };

  test("a new password ends every other session and works at once", {
    tags: ["F-03"],
  }, async () => {
    await gateway.addUser("changer");
    const [here, there] = [await gateway.signIn("changer"), await gateway.signIn("changer")];
    expect((await here("PUT", "/api/user/self", { body: renew })).body).toEqual({
      success: true,
      message: "",
      data: null,
    });
    expect((await here("GET", "/api/user/self")).status).toBe(200);
    expect((await there("GET", "/api/user/self")).status).toBe(401);
    await gateway.signIn("changer", renew.password);
    await expect(gateway.signIn("changer")).rejects.toThrow("incorrect");
  });

  test("an old sign-in must show the current password", async () => {
    await gateway.addUser("late");
    const client = await gateway.signIn("late");
    gateway.clock.now += 10 * minute;
    const asked = await client("PUT", "/api/user/self", { body: renew });
    expect([asked.status, asked.body.code]).toEqual([200, "reauth_required"]);
    expect(
      (await client("PUT", "/api/user/self", { body: { email: "new@example.org" } })).body.code,
    ).toBe("reauth_required");
    expect(
      (await client("PUT", "/api/user/self", { body: { display_name: "Late" } })).body.success,
    ).toBe(true);
    const wrong = await client("PUT", "/api/user/self", {
      body: { ...renew, current_password: "nope" },
    });
    expect(wrong.body.code).toBe("current_password_wrong");
    const right = await client("PUT", "/api/user/self", {
      body: { ...renew, current_password: password },
    });
    expect(right.body.success).toBe(true);
  });

  test("a forced change comes before everything else", async () => {
    await gateway.addUser("forced", { mustChange: true, role: 10 });
    const client = await gateway.signIn("forced");
    expect((await client("GET", "/api/user/self")).body.data.must_change_password).toBe(true);
    for (const path of ["/api/token/", "/api/channel/", "/api/user/dashboard", "/api/log/self"]) {
      const reply = await client("GET", path);
      expect([reply.status, reply.body.code]).toEqual([400, "password_change_required"]);
    }
    expect((await client("PUT", "/api/user/self", { body: { password } })).body.code).toBe(
      "password_unchanged",
    );
    expect((await client("PUT", "/api/user/self", { body: renew })).body.success).toBe(true);
    expect((await client("GET", "/api/channel/")).status).toBe(200);
  });

  test("a user cannot become another user, whatever the body says", {
    tags: ["F-20"],
  }, async () => {
    const user = await gateway.addUser("climber");
    const client = await gateway.signIn("climber");
    const row = () =>
      gateway.db.read(gateway.db.sql.selectFrom("users").selectAll().where("id", "=", user.id));
    const before = await row();
    const reply = await client("PUT", "/api/user/self", {
      text: '{"role":100,"Role":100,"status":1,"quota":9,"used_quota":1,"group":"vip","id":1,"uuid":"x","access_token_hash":"y","__proto__":{"role":100},"constructor":{"prototype":{"role":100}},"display_name":"climber"}',
    });
    expect(reply.body.success).toBe(true);
    expect(await row()).toEqual(before);
    expect((await client("PUT", "/api/user/self", { body: { username: "root" } })).body.code).toBe(
      "username_taken",
    );
  });

  test("guessing is slowed down, whether the account exists or not, and whatever the headers claim", {
    tags: ["F-14"],
  }, async () => {
    await gateway.addUser("target");
    for (const name of ["target", "ghost"]) {
      const replies = [];
      for (let guess = 0; guess < 6; guess += 1)
        replies.push(
          await gateway.visitor("POST", "/api/user/login", {
            body: { username: name, password: "guess" },
            headers: { "x-forwarded-for": `1.2.3.${guess}` },
          }),
        );
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
      expect(replies[5]?.body.code).toBe("sign_in_locked");
      expect(replies[5]?.headers.get("retry-after")).toBe("60");
    }
    gateway.clock.now += minute;
    await gateway.signIn("target");
    const rest = [];
    for (let guess = 0; guess < 22; guess += 1)
      rest.push(
        await gateway.visitor("POST", "/api/user/login", {
          body: { username: `n${guess}`, password: "guess" },
        }),
      );
    expect(rest.some(({ body }) => body.code === "too_many_requests")).toBe(true);
    gateway.clock.now += 20 * minute;
    await gateway.signIn("target");
  });

  test("a login body above 64 KiB is refused unread", async () => {
    const reply = await gateway.visitor("POST", "/api/user/login", {
      body: { username: "root", password: "x".repeat(70_000) },
    });
    expect([reply.status, reply.body.code]).toEqual([413, "body_too_large"]);
  });

  test("the operator at the machine can give root a new one-time password", async () => {
    const client = await gateway.signIn("root");
    const { sql } = gateway.db;
    const factor = {
      user_id: 1,
      secret_sealed: "x",
      created_at: 1,
      enabled_at: 1,
      last_step: 0,
      challenged_at: 0,
      tries: 0,
    };
    await gateway.db.write([{ query: sql.insertInto("second_factors").values(factor) }]);
    const fresh = await resetRootPassword(
      gateway.db,
      createUserStore(gateway.db),
      gateway.clock.now,
    );
    expect((await client("GET", "/api/user/self")).status).toBe(401);
    expect(
      await gateway.db.read(sql.selectFrom("second_factors").selectAll().where("user_id", "=", 1)),
    ).toEqual([]);
    const again = await gateway.signIn("root", fresh);
    expect((await again("GET", "/api/user/self")).body.data.must_change_password).toBe(true);
  });
});

describe.each(ruleDatabases)("first start on $name", (database) => {
  test("root gets a made-up password once, an opening balance once, and must change the password", {
    tags: ["F-12"],
  }, async () => {
    const storage = await database.open();
    const now = Date.now();
    const first = await ensureRoot(storage.db, createUserStore(storage.db), {
      initialPassword: undefined,
      now,
    });
    expect(first).toMatchObject({
      username: "root",
      password: expect.stringMatching(/^[\w-]{20}$/),
    });
    expect(
      await ensureRoot(storage.db, createUserStore(storage.db), {
        initialPassword: undefined,
        now,
      }),
    ).toBeUndefined();
    const { sql } = storage.db;
    const users = await storage.db.read(sql.selectFrom("users").selectAll());
    expect(users).toMatchObject([{ role: 100, must_change_password: 1, group: "default" }]);
    const grants = await storage.db.read(sql.selectFrom("ledger").selectAll());
    expect(grants).toMatchObject([{ kind: "grant", amount: 5e14 }]);
    await storage.close();
  });
});
