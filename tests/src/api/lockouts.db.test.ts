import { createLockout } from "@tollgate/gateway/accounts/identity/lockouts/lockout.ts";
import { accountRules } from "@tollgate/gateway/accounts/identity/lockouts/lockout-rules.ts";
import {
  accountLockKind,
  composeAccountId,
  createLockoutStore,
} from "@tollgate/gateway/accounts/identity/lockouts/lockout-store.ts";
import { resetRootPassword } from "@tollgate/gateway/accounts/identity/users/root-account.ts";
import { createUserStore } from "@tollgate/gateway/accounts/identity/users/user-store.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
  type TestApiReply,
} from "./management-gateway.ts";
import { addTotpUser, codeAt } from "./totp-users.ts";

const hour = 60 * 60_000;
const stranger = "198.51.100.7";
const owner = "203.0.113.9";

describe.each(ruleDatabases)("failed sign-ins on $name", (database) => {
  let gateway: ManagementGateway;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
  });
  afterAll(() => gateway.close());

  const logIn = (
    client: TestApiClient,
    username: string,
    secret = password,
    more: object = {},
    cookie?: string,
  ) =>
    client("POST", "/api/user/login", {
      body: { username, password: secret, ...more },
      ...(cookie !== undefined && { headers: { cookie } }),
    });
  const deviceOf = ({ headers }: TestApiReply): string =>
    headers
      .getSetCookie()
      .find((cookie) => cookie.startsWith("device="))
      ?.split(";")[0] ?? "";
  /** As many failures as lock an account, from as many places. */
  const useUp = async (account: string, count = 100): Promise<void> => {
    const failures = createLockout(
      gateway.db,
      createLockoutStore(gateway.db),
      accountLockKind,
      accountRules,
    );
    for (let failure = 0; failure < count; failure += 1)
      await failures.failed(account, gateway.clock.now);
  };

  test("lock the place that they come from, and no other", { tags: ["S2-09"] }, async () => {
    await gateway.addUser("mira");
    const guess = (address: string) => logIn(gateway.from(address), "mira", "guess");
    for (let failure = 0; failure < 5; failure += 1) await guess(stranger);
    const locked = await logIn(gateway.from(stranger), "mira");
    expect([locked.body.code, locked.headers.get("retry-after")]).toEqual(["sign_in_locked", "60"]);
    expect((await logIn(gateway.from(owner), "mira")).body.success).toBe(true);
    // The addresses of an IPv6 network of one customer are one place.
    for (let failure = 0; failure < 5; failure += 1) await guess(`2001:db8:1:2::${failure}`);
    expect((await guess("2001:db8:1:2:aaaa::1")).body.code).toBe("sign_in_locked");
    expect((await guess("2001:db8:1:3::1")).body.code).toBe("wrong_credentials");
  });

  test("with the name and with the mail address count together", { tags: ["S2-13"] }, async () => {
    await gateway.addUser("twonames");
    const guess = (login: string) => logIn(gateway.from("192.0.2.1"), login, "guess");
    for (const login of [
      "twonames",
      "twonames@example.org",
      "TwoNames@Example.org",
      "twonames",
      "twonames@example.org",
    ])
      expect((await guess(login)).body.code).toBe("wrong_credentials");
    for (const login of ["twonames", "twonames@example.org"])
      expect((await guess(login)).body.code).toBe("sign_in_locked");
  });

  test("from many places close an account to strangers, and never to a browser that signed in before", {
    tags: ["S2-09"],
  }, async () => {
    const user = await gateway.addUser("hunted");
    const before = await logIn(gateway.from(owner), "hunted");
    await useUp(composeAccountId(user.id), 99);
    expect((await logIn(gateway.from("192.0.2.9"), "hunted", "guess")).body.code).toBe(
      "wrong_credentials",
    );
    // Right or wrong, a stranger gets the same reply.
    const replies = await Promise.all(
      [password, "guess"].map((secret, place) =>
        logIn(gateway.from(`192.0.2.${place + 10}`), "hunted", secret),
      ),
    );
    for (const { status, body } of replies)
      expect([status, body.code]).toEqual([429, "sign_in_account_locked"]);
    const device = deviceOf(before);
    const known = await logIn(gateway.from("192.0.2.20"), "hunted", password, {}, device);
    expect(known.body.success).toBe(true);
    // Each sign-in replaces the cookie, and wrong passwords of the known browser lock it alone.
    expect(
      (await logIn(gateway.from("192.0.2.21"), "hunted", password, {}, device)).body.code,
    ).toBe("sign_in_account_locked");
    const renewed = deviceOf(known);
    for (let failure = 0; failure < 5; failure += 1)
      await logIn(gateway.from("192.0.2.22"), "hunted", "typo", {}, renewed);
    expect(
      (await logIn(gateway.from("192.0.2.23"), "hunted", password, {}, renewed)).body.code,
    ).toBe("sign_in_locked");
    gateway.clock.now += 24 * hour;
    expect((await logIn(gateway.from("192.0.2.24"), "hunted")).body.success).toBe(true);
  });

  test("leave a session what it needs to prove its user", { tags: ["S2-09"] }, async () => {
    const user = await gateway.addUser("proving");
    const client = await gateway.signIn("proving");
    await useUp(composeAccountId(user.id));
    gateway.clock.now += hour;
    const body = { password: "battery staple", current_password: password };
    expect((await client("PUT", "/api/user/self", { body })).body.success).toBe(true);
  });

  test("never stop a password with the second factor", { tags: ["S2-09"] }, async () => {
    const { id, username, secret } = await addTotpUser(gateway, "factored");
    await useUp(composeAccountId(id));
    const from = gateway.from("192.0.2.30");
    expect((await logIn(from, username, "guess")).body.code).toBe("sign_in_account_locked");
    expect((await logIn(from, username)).body.code).toBe("totp_required");
    const totp_code = codeAt(secret, gateway.clock.now);
    expect((await logIn(from, username, password, { totp_code })).body.success).toBe(true);
  });

  test("are limited alike for a name that no account has", {
    tags: ["S2-09", "F-07"],
  }, async () => {
    await useUp("name ghost");
    const reply = await logIn(gateway.from("192.0.2.40"), "Ghost", "guess");
    expect([reply.status, reply.body.code]).toEqual([429, "sign_in_account_locked"]);
  });

  test("of strangers do not outlast a new password by an administrator or at the machine", {
    tags: ["S2-09"],
  }, async () => {
    const user = await gateway.addUser("rescued");
    await useUp(composeAccountId(user.id));
    await useUp(composeAccountId(1));
    expect((await logIn(gateway.from("192.0.2.50"), "root")).body.code).toBe(
      "sign_in_account_locked",
    );
    const fresh = await resetRootPassword(
      gateway.db,
      createUserStore(gateway.db),
      gateway.clock.now,
    );
    const back = await logIn(gateway.from("192.0.2.51"), "root", fresh);
    const root = gateway.withCookie(gateway.cookieOf(back));
    await root("PUT", "/api/user/self", { body: { password: "battery staple" } });
    await root("PUT", "/api/user/", { body: { id: user.id, password: "battery staple" } });
    expect(
      (await logIn(gateway.from("192.0.2.52"), "rescued", "battery staple")).body.success,
    ).toBe(true);
  });
});
