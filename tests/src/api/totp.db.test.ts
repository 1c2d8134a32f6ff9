import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleDatabases } from "../support/test-databases.ts";
import { type ManagementGateway, password, startManagementGateway } from "./management-gateway.ts";
import { addTotpUser, codeAt, logIn, wrongCode } from "./totp-users.ts";

const minute = 60_000;
const paths = {
  setup: "/api/user/totp/setup",
  confirm: "/api/user/totp/confirm",
  disable: "/api/user/totp/disable",
};

describe.each(ruleDatabases)("the second factor on $name", (database) => {
  let gateway: ManagementGateway;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
  });
  afterAll(() => gateway.close());

  const stored = async (userId: number) => {
    const { sql, read } = gateway.db;
    const [factor] = await read(
      sql.selectFrom("second_factors").selectAll().where("user_id", "=", userId),
    );
    const codes = await read(
      sql.selectFrom("recovery_codes").selectAll().where("user_id", "=", userId),
    );
    return { factor, codes };
  };
  const audited = async (target: string) => {
    const { sql, read } = gateway.db;
    const rows = await read(
      sql.selectFrom("audit_entries").selectAll().where("target", "=", target).orderBy("id"),
    );
    return rows.map(({ action }) => action);
  };

  test("it is on once a code of the waiting secret was shown, and all other sessions end", {
    tags: ["F-03"],
  }, async () => {
    const user = await gateway.addUser("mira");
    const [here, there] = [await gateway.signIn("mira"), await gateway.signIn("mira")];
    const off = { totp_enabled: false, recovery_codes_left: 0 };
    expect((await here("GET", "/api/user/totp/status")).body.data).toEqual(off);
    const { secret, qr_code } = (await here("GET", paths.setup)).body.data;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(qr_code).toBe(
      `otpauth://totp/Tollgate:mira?secret=${secret}&issuer=Tollgate&algorithm=SHA1&digits=6&period=30`,
    );
    // It waits and protects nothing yet.
    expect((await here("GET", "/api/user/totp/status")).body.data).toEqual(off);
    expect(
      (await gateway.visitor("POST", "/api/user/login", { body: { username: "mira", password } }))
        .body.success,
    ).toBe(true);
    const wrong = await here("POST", paths.confirm, {
      body: { totp_code: wrongCode(secret, gateway.clock.now) },
    });
    expect(wrong.body.code).toBe("totp_invalid");
    gateway.clock.now += 1000;
    const confirmed = await here("POST", paths.confirm, {
      body: { totp_code: codeAt(secret, gateway.clock.now) },
    });
    expect(confirmed.body.data.recovery_codes).toHaveLength(8);
    expect((await here("GET", "/api/user/totp/status")).body.data).toEqual({
      totp_enabled: true,
      recovery_codes_left: 8,
    });
    expect((await there("GET", "/api/user/self")).status).toBe(401);
    expect((await here("GET", paths.setup)).body.code).toBe("totp_already_on");
    // The code that confirmed it is used up.
    expect(
      (await logIn(gateway, "mira", { totp_code: codeAt(secret, gateway.clock.now) })).status,
    ).toBe(429);
    gateway.clock.now += 1000;
    expect(
      (await logIn(gateway, "mira", { totp_code: codeAt(secret, gateway.clock.now) })).body.code,
    ).toBe("totp_invalid");
    expect(await audited(user.uuid)).toEqual(["totp.enable"]);
  });

  test("neither secret nor codes lie anywhere in clear", { tags: ["F-103"] }, async () => {
    const { id, secret, recoveryCodes } = await addTotpUser(gateway, "canary");
    const { factor, codes } = await stored(id);
    expect(factor?.secret_sealed).toMatch(/^v1\./);
    expect(codes).toHaveLength(8);
    const { sql, read } = gateway.db;
    const everything = JSON.stringify([
      factor,
      codes,
      await read(sql.selectFrom("audit_entries").selectAll()),
      gateway.events,
      gateway.problems,
    ]);
    for (const canary of [
      secret,
      ...recoveryCodes,
      ...recoveryCodes.map((code) => code.replaceAll("-", "")),
    ])
      expect(everything).not.toContain(canary);
  });

  test("a secret that was sealed for another user or purpose cannot be opened", {
    tags: ["F-30"],
  }, async () => {
    const [one, other] = [await addTotpUser(gateway, "one"), await addTotpUser(gateway, "other")];
    const { factor } = await stored(one.id);
    expect(() =>
      gateway.seal.open(
        "totp-seed",
        `second_factors/secret_sealed/${other.uuid}`,
        factor?.secret_sealed ?? "",
      ),
    ).toThrow();
    expect(() =>
      gateway.seal.open(
        "option-secret" as "totp-seed",
        `second_factors/secret_sealed/${one.uuid}`,
        factor?.secret_sealed ?? "",
      ),
    ).toThrow();
  });

  test("a new setup replaces one that waits, and a waiting one expires", async () => {
    await gateway.addUser("again");
    const client = await gateway.signIn("again");
    const confirm = async (secret: string) => {
      gateway.clock.now += 1000;
      return (
        await client("POST", paths.confirm, {
          body: { totp_code: codeAt(secret, gateway.clock.now) },
        })
      ).body;
    };
    expect((await confirm("A".repeat(32))).code).toBe("totp_setup_required");
    const first = (await client("GET", paths.setup)).body.data.secret;
    const second = (await client("POST", paths.setup, { body: {} })).body.data.secret;
    expect((await confirm(first)).code).toBe("totp_invalid");
    gateway.clock.now += 10 * minute;
    expect((await confirm(second)).code).toBe("totp_setup_required");
  });

  test("an old sign-in has to show the password before it may set one up", async () => {
    await gateway.addUser("stale");
    const client = await gateway.signIn("stale");
    gateway.clock.now += 10 * minute;
    expect((await client("GET", paths.setup)).body.code).toBe("reauth_required");
    expect(
      (await client("POST", paths.setup, { body: { current_password: "no" } })).body.code,
    ).toBe("current_password_wrong");
    const { data } = (await client("POST", paths.setup, { body: { current_password: password } }))
      .body;
    const body = { totp_code: codeAt(data.secret, gateway.clock.now) };
    expect((await client("POST", paths.confirm, { body })).body.success).toBe(true);
  });

  test("of many confirmations at once one counts", async () => {
    const user = await gateway.addUser("parallel");
    const client = await gateway.signIn("parallel");
    const { secret } = (await client("GET", paths.setup)).body.data;
    const body = { totp_code: codeAt(secret, gateway.clock.now) };
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => client("POST", paths.confirm, { body })),
    );
    expect(replies.filter(({ body: { success } }) => success)).toHaveLength(1);
    expect((await stored(user.id)).codes).toHaveLength(8);
  });

  test("switching it off needs recent proof and a code, and ends all other sessions", async () => {
    const { id, uuid, client, secret, recoveryCodes } = await addTotpUser(gateway, "leaver");
    const entered = await logIn(gateway, "leaver", {
      totp_code: codeAt(secret, gateway.clock.now),
    });
    const there = gateway.withCookie(gateway.cookieOf(entered));
    const disable = async (body: object) => {
      gateway.clock.now += 1000;
      return (await client("POST", paths.disable, { body })).body;
    };
    expect((await disable({ totp_code: wrongCode(secret, gateway.clock.now) })).code).toBe(
      "totp_invalid",
    );
    expect((await disable({ totp_code: codeAt(secret, gateway.clock.now) })).code).toBe(
      "totp_invalid",
    );
    gateway.clock.now += 10 * minute;
    const totp_code = codeAt(secret, gateway.clock.now + 1000);
    expect((await disable({ totp_code })).code).toBe("reauth_required");
    expect((await disable({ totp_code, current_password: "no" })).code).toBe(
      "current_password_wrong",
    );
    expect(
      (await disable({ recovery_code: recoveryCodes[0], current_password: password })).success,
    ).toBe(true);
    expect(await stored(id)).toEqual({ factor: undefined, codes: [] });
    expect((await client("GET", "/api/user/self")).status).toBe(200);
    expect((await there("GET", "/api/user/self")).status).toBe(401);
    expect((await disable({ totp_code })).code).toBe("totp_not_on");
    await gateway.signIn("leaver");
    expect(await audited(uuid)).toEqual(["totp.enable", "totp.disable", "totp.use_recovery_code"]);
  });

  test("a code replaces the password where recent proof is required", async () => {
    const { client, secret } = await addTotpUser(gateway, "prover");
    gateway.clock.now += 10 * minute;
    const change = { email: "new@example.org" };
    expect((await client("PUT", "/api/user/self", { body: change })).body.code).toBe(
      "reauth_required",
    );
    const totp_code = codeAt(secret, gateway.clock.now);
    expect(
      (await client("PUT", "/api/user/self", { body: { ...change, totp_code } })).body.success,
    ).toBe(true);
    gateway.clock.now += 1000;
    // The same code again is no proof, but the session is fresh now.
    const renewed = await client("POST", "/api/user/token", { body: { totp_code } });
    expect(renewed.body.code).toBe("totp_invalid");
    expect((await client("GET", "/api/user/token")).body.success).toBe(true);
  });

  test("an administrator may reset a user's, but neither their own nor a peer's", async () => {
    const user = await addTotpUser(gateway, "helped");
    const admin = await addTotpUser(gateway, "admin", 10);
    const peer = await addTotpUser(gateway, "peer", 10);
    const root = await gateway.signIn("root");
    const reset = async (client: typeof root, id: number | string) =>
      (await client("POST", `/api/user/totp/disable/${id}`)).body;
    expect((await reset(admin.client, admin.id)).code).toBe("totp_reset_own");
    expect((await reset(admin.client, peer.uuid)).code).toBe("user_out_of_reach");
    expect((await reset(admin.client, 999_999)).code).toBe("user_not_found");
    expect((await reset(admin.client, user.id)).success).toBe(true);
    expect((await user.client("GET", "/api/user/self")).status).toBe(401);
    await gateway.signIn("helped");
    expect((await reset(admin.client, user.id)).code).toBe("totp_not_on");
    expect((await reset(root, peer.id)).success).toBe(true);
    expect(await audited(user.uuid)).toEqual(["totp.enable", "totp.reset"]);
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
