/**
 * A second factor that the operator demands of a role: what is answered before it is set up, and
 * which sign-ins have it.
 */
import { catalogue } from "@tollgate/contract/catalogue/catalogue.ts";
import type { RelyingParty } from "@tollgate/gateway/http/relying-party.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSoftwarePasskey } from "../support/software-passkey.ts";
import { ruleDatabases } from "../support/test-databases.ts";
import { createCookieBrowser } from "./cookie-browser.ts";
import { type ManagementGateway, password, startManagementGateway } from "./management-gateway.ts";
import { addTotpUser, codeAt, logIn } from "./totp-users.ts";

const publicUrl = "http://localhost:3000";
const party: RelyingParty = { id: "localhost", origin: publicUrl };

/**
 * `openBefore` is what sets it up or proves it, besides what also answers before a password change.
 */
const openBefore = [
  "getTotpStatus",
  "setupTotp",
  "setupTotpByGet",
  "confirmTotp",
  "listPasskeys",
  "beginPasskeyRegistration",
  "finishPasskeyRegistration",
  "beginPasskeyProof",
  "finishPasskeyProof",
];

describe.each(ruleDatabases)("a second factor demanded of administrators on $name", (database) => {
  let gateway: ManagementGateway;
  beforeAll(async () => {
    gateway = await startManagementGateway(database, undefined, undefined, publicUrl, {
      read: () => undefined,
    });
    const root = await gateway.signIn("root");
    const set = (value: string) =>
      root("PUT", "/api/option/", { body: { key: "SecondFactorRequiredRole", value } });
    expect((await set("7")).body.success).toBe(false);
    expect((await set("10")).body.success).toBe(true);
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
  });

  const isHeld = async (ask: Awaited<ReturnType<ManagementGateway["signIn"]>>) => {
    const self = (await ask("GET", "/api/user/self")).body.data.must_add_second_factor;
    expect((await ask("GET", "/api/token/")).body.code === "second_factor_required").toBe(self);
    return self;
  };

  test("an administrator without one can do nothing but set it up, and everything afterwards", async () => {
    await gateway.addUser("adam", { role: 10 });
    const { ask, signIn } = createCookieBrowser(gateway);
    await signIn("adam", password);
    expect(await isHeld(ask)).toBe(true);
    const { data } = (await ask("POST", "/api/user/totp/setup", { body: {} })).body;
    const totp_code = codeAt(data.secret, gateway.clock.now);
    expect(
      (await ask("POST", "/api/user/totp/confirm", { body: { totp_code } })).body.success,
    ).toBe(true);
    expect(await isHeld(ask)).toBe(false);
  });

  test("every other operation is refused before it is set up", async () => {
    const { id } = await gateway.addUser("alma", { role: 10 });
    const { ask, signIn } = createCookieBrowser(gateway);
    await signIn("alma", password);
    // Root's operations too: the refusal comes before the role.
    const answered: string[] = [];
    for (const { name, endpoint } of catalogue) {
      if (name.startsWith("logout") || endpoint.beforePasswordChange) continue;
      const path = endpoint.path.replace(/:\w+/g, String(id));
      const body = endpoint.body ? { body: {} } : {};
      const { code } = (await ask(endpoint.method, path, body)).body;
      if (code !== "second_factor_required") answered.push(name);
    }
    expect(answered.sort()).toEqual([...openBefore].sort());
  });

  test("binding an external account waits too, because its address is public", async () => {
    await gateway.addUser("arne", { role: 10 });
    const { ask, signIn } = createCookieBrowser(gateway);
    await signIn("arne", password);
    const reply = await ask("POST", "/api/oauth/state", { body: { purpose: "bind" } });
    expect(reply.body.code).toBe("second_factor_required");
  });

  test("a passkey counts when it is added and when it signs in, and a password beside it does not", async () => {
    await gateway.addUser("anna", { role: 10 });
    const browser = createCookieBrowser(gateway);
    await browser.signIn("anna", password);
    const device = createSoftwarePasskey();
    const begun = (await browser.ask("POST", "/api/user/passkey/register/begin", { body: {} })).body
      .data.publicKey;
    const created = device.created({ challenge: begun.challenge, party });
    await browser.ask("POST", "/api/user/passkey/register/finish", { body: created });
    expect(await isHeld(browser.ask)).toBe(false);

    const present = async ({ ask }: typeof browser, kind: "login" | "proof") => {
      const { challenge } = (await ask("POST", `/api/user/passkey/${kind}/begin`)).body.data
        .publicKey;
      const body = device.presented({ party, userHandle: begun.user.id, challenge });
      expect((await ask("POST", `/api/user/passkey/${kind}/finish`, { body })).body.success).toBe(
        true,
      );
    };
    const byPasskey = createCookieBrowser(gateway);
    await present(byPasskey, "login");
    expect(await isHeld(byPasskey.ask)).toBe(false);

    const byPassword = createCookieBrowser(gateway);
    await byPassword.signIn("anna", password);
    expect(await isHeld(byPassword.ask)).toBe(true);
    await present(byPassword, "proof");
    expect(await isHeld(byPassword.ask)).toBe(false);
  });

  test("a code at sign-in counts, and users of other roles are not asked", async () => {
    const { secret } = await addTotpUser(gateway, "abel");
    gateway.clock.now += 60_000;
    await gateway.addUser("ulf");
    expect(await isHeld(await gateway.signIn("ulf"))).toBe(false);
    const setRole = {
      query: gateway.db.sql
        .updateTable("users")
        .set({ role: 10 })
        .where("username", "in", ["abel", "ulf"]),
    };
    await gateway.db.write([setRole]);
    const totp_code = codeAt(secret, gateway.clock.now);
    const withCode = gateway.withCookie(
      gateway.cookieOf(await logIn(gateway, "abel", { totp_code })),
    );
    expect(await isHeld(withCode)).toBe(false);
    expect(await isHeld(await gateway.signIn("ulf"))).toBe(true);
  });

  test("a script with an access token goes on, until its owner sets the second factor up", async () => {
    const { token } = await gateway.addUser("axel", { role: 10 });
    const list = () =>
      gateway.visitor("GET", "/api/user/?p=0", { headers: { authorization: token } });
    expect((await list()).body.success).toBe(true);
    const { ask, signIn } = createCookieBrowser(gateway);
    await signIn("axel", password);
    expect((await ask("POST", "/api/user/token", { body: {} })).body.code).toBe(
      "second_factor_required",
    );
    const { data } = (await ask("POST", "/api/user/totp/setup", { body: {} })).body;
    const totp_code = codeAt(data.secret, gateway.clock.now);
    await ask("POST", "/api/user/totp/confirm", { body: { totp_code } });
    expect((await list()).body.code).toBe("access_token_invalid");
  });
});
