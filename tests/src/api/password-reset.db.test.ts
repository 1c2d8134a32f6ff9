import { createPasskeyStore } from "@tollgate/gateway/accounts/identity/passkeys/passkey-store.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { linkIn } from "../harness/mailbox.ts";
import { ruleDatabases } from "../support/test-databases.ts";
import { type MailGateway, serverAddress, startMailGateway } from "./mail-gateway.ts";
import { password } from "./management-gateway.ts";

const minute = 60_000;
const chosen = "a new horse";

describe.each(ruleDatabases)("password reset on $name", (database) => {
  let gateway: MailGateway;
  beforeAll(async () => {
    gateway = await startMailGateway(database);
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    gateway.later();
    await gateway.resetSettings();
  });

  const request = (email: string) =>
    gateway.visitor("POST", "/api/reset_password", { body: { email } });
  const tokenFor = async (email: string): Promise<string> => {
    expect((await request(email)).body.success).toBe(true);
    return (
      linkIn(await gateway.mailbox.take(email, "Reset your password")).searchParams.get("token") ??
      ""
    );
  };
  const reset = async (email: string, token: string, secret = chosen) =>
    (await gateway.visitor("POST", "/api/user/reset", { body: { email, token, password: secret } }))
      .body;
  const login = async (username: string, secret: string) =>
    (await gateway.visitor("POST", "/api/user/login", { body: { username, password: secret } }))
      .body;

  test("the mailed link sets a password, once, and every session ends", {
    tags: ["F-08"],
  }, async () => {
    const forgetful = await gateway.addUser("forgetful");
    const session = await gateway.signIn("forgetful");
    const email = "forgetful@example.org";
    expect((await request(email)).body).toEqual({ success: true, message: "", data: null });
    const link = linkIn(await gateway.mailbox.take(email, "Reset your password"));
    expect([link.origin, link.pathname, link.searchParams.get("email")]).toEqual([
      serverAddress,
      "/user/reset",
      email,
    ]);
    const token = link.searchParams.get("token") ?? "";

    const done = await gateway.visitor("POST", "/api/user/reset", {
      body: { email, token, password: chosen },
    });
    expect([done.status, done.body]).toEqual([200, { success: true, message: "", data: null }]);
    expect(done.headers.getSetCookie()).toEqual([expect.stringMatching(/^device=/)]);
    expect((await session("GET", "/api/user/self")).status).toBe(401);
    expect((await login("forgetful", password)).code).toBe("wrong_credentials");
    expect((await login("forgetful", chosen)).success).toBe(true);
    expect((await reset(email, token)).code).toBe("reset_link_invalid");
    await gateway.mailbox.take(email, "Your password was changed");
    const entries = await gateway.db.read(
      gateway.db.sql
        .selectFrom("audit_entries")
        .select(["change", "actor_id"])
        .where("action", "=", "user.reset_password"),
    );
    expect(entries).toEqual([
      { change: JSON.stringify({ password: "changed" }), actor_id: forgetful.id },
    ]);
    expect(JSON.stringify([entries, gateway.events])).not.toContain(token);
  });

  test("a reset ends the access token, and disables the API keys where the owner wants it", {
    tags: ["S2-05"],
  }, async () => {
    const user = await gateway.addUser("invaded");
    const client = await gateway.signIn("invaded");
    for (const name of ["one", "two"])
      await client("POST", "/api/token/", { body: { name, unlimited_quota: true } });
    const statuses = () =>
      gateway.db.read(
        gateway.db.sql.selectFrom("tokens").select("status").where("user_id", "=", user.id),
      );
    const complete = async (more: object) =>
      gateway.visitor("POST", "/api/user/reset", {
        body: {
          email: "invaded@example.org",
          token: await tokenFor("invaded@example.org"),
          password: chosen,
          ...more,
        },
      });
    expect((await complete({})).body.success).toBe(true);
    expect(
      (await gateway.visitor("GET", "/api/user/self", { headers: { authorization: user.token } }))
        .status,
    ).toBe(401);
    expect(await statuses()).toEqual([{ status: 1 }, { status: 1 }]);
    gateway.later();
    expect((await complete({ disable_tokens: true })).body.success).toBe(true);
    expect(await statuses()).toEqual([{ status: 2 }, { status: 2 }]);
  });

  test("passkeys outlive a new password, and a mail tells their owner which there are", async () => {
    const keeper = await gateway.addUser("keeper");
    const email = "keeper@example.org";
    const passkeys = createPasskeyStore(gateway.db);
    const device = {
      credential_id: "keeper-1",
      public_key: "",
      user_handle: "keeper",
      transports: "",
      counter: 0,
    };
    const stored = {
      uuid: keeper.uuid,
      user_id: keeper.id,
      name: "laptop",
      backed_up: 0 as const,
      used_at: null,
    };
    await gateway.db.write(passkeys.add({ ...device, ...stored, created_at: gateway.clock.now }));
    const [session, other] = [await gateway.signIn("keeper"), await gateway.signIn("keeper")];
    const changed = await session("PUT", "/api/user/self", { body: { password: "another horse" } });
    expect(changed.body).toMatchObject({ success: true });
    const told = await gateway.mailbox.take(email, "Your password was changed");
    expect(told.text).toContain("“laptop”");
    expect((await other("GET", "/api/user/self")).status).toBe(401);
    expect((await session("GET", "/api/user/self")).status).toBe(200);
    gateway.later();
    expect((await reset(email, await tokenFor(email))).success).toBe(true);
    expect((await gateway.mailbox.take(email, "Your password was changed")).text).toContain(
      "“laptop”",
    );
    expect(await passkeys.ofUser(keeper.id)).toMatchObject([{ name: "laptop" }]);
  });

  describe("passkeys and external accounts at a reset", () => {
    const email = "retaken@example.org";
    /** A stranger has registered with the address and made sure to stay. */
    const invaded = async (name: string) => {
      const user = await gateway.addUser(name);
      const device = {
        credential_id: name,
        public_key: "",
        user_handle: name,
        transports: "",
        counter: 0,
      };
      const stored = {
        uuid: user.uuid,
        user_id: user.id,
        name: "thief's phone",
        backed_up: 0 as const,
        used_at: null,
      };
      const created_at = gateway.clock.now;
      const bound = {
        provider: "github" as const,
        external_id: name,
        user_id: user.id,
        name: "thief",
        created_at,
      };
      await gateway.db.write([
        ...createPasskeyStore(gateway.db).add({ ...device, ...stored, created_at }),
        { query: gateway.db.sql.insertInto("external_accounts").values(bound) },
      ]);
      return user;
    };
    const waysOf = async (body: object, headers: Record<string, string> = {}) =>
      (await gateway.visitor("POST", "/api/user/reset/ways", { body, headers })).body;

    test("are shown to who has the link, with the last sign-in of the browser, and end where the owner says so", {
      tags: ["F-08"],
    }, async () => {
      const user = await invaded("retaken");
      const token = await tokenFor(email);
      const ways = {
        passkeys: [{ name: "thief's phone", created_at: gateway.clock.now }],
        external_accounts: [{ provider: "github", name: "thief", created_at: gateway.clock.now }],
      };
      expect(await waysOf({ email, token })).toMatchObject({
        success: true,
        data: { ...ways, last_sign_in_at: 0 },
      });
      expect((await waysOf({ email, token: "guessed" })).code).toBe("reset_link_invalid");
      expect((await waysOf({ email: "nobody@example.org", token })).code).toBe(
        "reset_link_invalid",
      );

      const ended = { end_passkeys: true, end_external_accounts: true };
      const body = { email, token, password: chosen, ...ended };
      const done = await gateway.visitor("POST", "/api/user/reset", { body });
      expect(done.body.success).toBe(true);
      const { sql, read } = gateway.db;
      const passkeys = await read(
        sql.selectFrom("passkeys").select("id").where("user_id", "=", user.id),
      );
      const external = await read(
        sql.selectFrom("external_accounts").select("provider").where("user_id", "=", user.id),
      );
      expect([passkeys, external]).toEqual([[], []]);
      expect((await gateway.mailbox.take(email, "Your password was changed")).text).not.toContain(
        "thief",
      );
      const entries = sql
        .selectFrom("audit_entries")
        .select("change")
        .where("action", "=", "user.reset_password");
      const change = { password: "changed", passkeys: "ended", external_accounts: "ended" };
      expect(await read(entries.where("target", "=", user.uuid))).toEqual([
        { change: JSON.stringify(change) },
      ]);

      // The browser that signs in after that is known from then on.
      gateway.later();
      const [device = ""] = done.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
      const seen = await waysOf({ email, token: await tokenFor(email) }, { cookie: device });
      expect(seen.data).toEqual({
        passkeys: [],
        external_accounts: [],
        last_sign_in_at: gateway.clock.now - 21 * minute,
      });
    });

    test("stay where the owner does not say so", async () => {
      const user = await invaded("trusting");
      expect(
        (await reset("trusting@example.org", await tokenFor("trusting@example.org"))).success,
      ).toBe(true);
      expect(await createPasskeyStore(gateway.db).ofUser(user.id)).toHaveLength(1);
      const { sql, read } = gateway.db;
      expect(
        await read(sql.selectFrom("external_accounts").selectAll().where("user_id", "=", user.id)),
      ).toHaveLength(1);
    });
  });

  test("of twenty uses of one link at once, over two nodes, one succeeds", {
    tags: ["F-08"],
  }, async () => {
    await gateway.addUser("contested");
    const email = "contested@example.org";
    const token = await tokenFor(email);
    const nodes = [gateway.anotherNode(), gateway.anotherNode()];
    const secrets = Array.from({ length: 20 }, (_, index) => `choice number ${index}`);
    const uses = nodes.flatMap((ask, node) =>
      secrets
        .filter((_, index) => index % nodes.length === node)
        .map(async (secret) => ({
          secret,
          ...(await ask("POST", "/api/user/reset", { email, token, password: secret })),
        })),
    );
    const replies = await Promise.all(uses);
    const winners = replies.filter(({ success }) => success);
    expect(winners).toHaveLength(1);
    const others = new Set(replies.filter(({ success }) => !success).map(({ code }) => code));
    expect([...others].filter((code) => code !== "sign_in_busy")).toEqual(["reset_link_invalid"]);
    expect((await login("contested", winners[0]?.secret ?? "")).success).toBe(true);
  });

  test("a link is void for another account, after a newer link, and after ten minutes", {
    tags: ["F-08"],
  }, async () => {
    await gateway.addUser("first");
    await gateway.addUser("second");
    const [mine, theirs] = [
      await tokenFor("first@example.org"),
      await tokenFor("second@example.org"),
    ];
    expect((await reset("second@example.org", mine)).code).toBe("reset_link_invalid");
    expect((await reset("nobody@example.org", mine)).code).toBe("reset_link_invalid");

    gateway.clock.now += minute;
    const newer = await tokenFor("first@example.org");
    expect((await reset("first@example.org", mine)).code).toBe("reset_link_invalid");
    expect(await reset("First@example.org", newer)).toMatchObject({ success: true });

    gateway.clock.now += 9 * minute;
    expect((await reset("second@example.org", theirs)).code).toBe("reset_link_invalid");
  });

  test("an address that moved to another account, or a disabled account, voids the link", async () => {
    const user = await gateway.addUser("moving");
    const token = await tokenFor("moving@example.org");
    await gateway.db.write([
      {
        query: gateway.db.sql
          .updateTable("users")
          .set({ email: "moved@example.org" })
          .where("id", "=", user.id),
      },
    ]);
    expect((await reset("moving@example.org", token)).code).toBe("reset_link_invalid");
    gateway.later();
    const next = await tokenFor("moved@example.org");
    await gateway.setStatus(user.id, 2);
    expect((await reset("moved@example.org", next)).code).toBe("reset_link_invalid");
  });

  test("a code for an address is no link, and a link no code", { tags: ["F-30"] }, async () => {
    await gateway.addUser("confused");
    const token = await tokenFor("confused@example.org");
    await gateway.set({ EmailVerificationEnabled: "true" });
    const body = {
      username: "clever",
      password,
      email: "confused@example.org",
      verification_code: token.slice(0, 20),
    };
    expect((await gateway.visitor("POST", "/api/user/register", { body })).body.code).toBe(
      "verification_code_invalid",
    );
  });

  test("known, unknown and disabled accounts are answered alike; only the first gets a mail", {
    tags: ["F-07"],
  }, async () => {
    await gateway.addUser("reader");
    await gateway.addUser("sleeper", { status: 2 });
    const answers = [];
    for (const name of ["nobody", "sleeper", "reader"])
      answers.push(await request(`${name}@example.org`));
    const [unknown, sleeper, reader] = answers.map(({ status, body }) => [status, body]);
    expect(unknown).toEqual([200, { success: true, message: "", data: null }]);
    expect([sleeper, reader]).toEqual([unknown, unknown]);
    await gateway.mailbox.take("reader@example.org", "Reset your password");
    await gateway.posted();
    const recipients = gateway.mailbox.mails.flatMap(({ to }) => to);
    for (const name of ["nobody", "sleeper"])
      expect(recipients).not.toContain(`${name}@example.org`);
  });

  test("a common password is refused, and the link stays good", async () => {
    await gateway.addUser("careless");
    const token = await tokenFor("careless@example.org");
    expect((await reset("careless@example.org", token, "Password1")).code).toBe(
      "password_too_common",
    );
    expect((await reset("careless@example.org", token, "short")).fields).toEqual({
      password: "Password must be at least 8 characters",
    });
    expect((await reset("careless@example.org", token)).success).toBe(true);
  });

  test("a second factor is required as before", { tags: ["F-09"] }, async () => {
    const user = await gateway.addUser("careful");
    const on = { user_id: user.id, secret_sealed: "sealed", created_at: 1, enabled_at: 1 };
    await gateway.db.write([{ query: gateway.db.sql.insertInto("second_factors").values(on) }]);
    const token = await tokenFor("careful@example.org");
    expect((await reset("careful@example.org", token)).success).toBe(true);
    expect(await login("careful", chosen)).toMatchObject({
      code: "totp_required",
      data: { totp_required: true },
    });
  });

  test("a forced change of password is settled by it", async () => {
    await gateway.addUser("forced", { mustChange: true });
    const token = await tokenFor("forced@example.org");
    expect((await reset("forced@example.org", token)).success).toBe(true);
    expect((await login("forced", chosen)).data.must_change_password).toBe(false);
  });

  test("without an address of the server no link is mailed: the name in the request is the asker's choice", async () => {
    await gateway.set({ ServerAddress: "" });
    expect((await request("nobody@example.org")).body.code).toBe("server_address_missing");
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
