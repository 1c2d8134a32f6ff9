/**
 * Sign-in by the header of a reverse proxy, over the management API: whom it names, and how long
 * that lasts.
 */
import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import { createTrustedHeader, type HeaderRefusal } from "@tollgate/gateway/http/trusted-header.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleDatabases } from "../support/test-databases.ts";
import { keepCookies } from "./cookie-browser.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";
import { addTotpUser, codeAt } from "./totp-users.ts";

const secret = "only-the-proxy-knows-this";
const proxy = "10.1.0.9";

describe.each(ruleDatabases)("sign-in by a reverse proxy on $name", (database) => {
  let gateway: ManagementGateway;
  const refused: HeaderRefusal[] = [];

  beforeAll(async () => {
    const settings = {
      nameHeader: "remote-user",
      secretHeader: "x-proxy-secret",
      secret,
      groupsHeader: "remote-groups",
    };
    const header = createTrustedHeader(
      { ...settings, proxies: [{ bytes: [10, 1, 0, 0], bits: 16 }] },
      (refusal) => void refused.push(refusal),
    );
    gateway = await startManagementGateway(database, undefined, undefined, undefined, header);
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
  });

  /** A browser behind the proxy, which names the user of `visitor.name` in each request. */
  function openBrowser(name: string, peer = proxy) {
    const visitor = { name, peer, secret, groups: "" };
    const cookies = new Map<string, string>();
    const throughProxy: TestApiClient = (method, path, request = {}) => {
      const named =
        visitor.name === ""
          ? {}
          : { "remote-user": visitor.name, "x-proxy-secret": visitor.secret };
      const groups = visitor.groups === "" ? {} : { "remote-groups": visitor.groups };
      return gateway.from(visitor.peer)(method, path, {
        ...request,
        headers: { ...named, ...request.headers, ...groups },
      });
    };
    const ask = keepCookies(throughProxy, cookies);
    const signIn = async (purpose = "sign-in") => {
      const { body } = await ask("GET", `/api/oauth/state?purpose=${purpose}`);
      const state = String(body.data);
      return { ...(await ask("GET", `/api/oauth/proxy?state=${state}`)), state };
    };
    const self = () => ask("GET", "/api/user/self");
    return { visitor, cookies, ask, signIn, self };
  }
  const sessionsOf = async (username: string) =>
    gateway.db.read(
      gateway.db.sql
        .selectFrom("sessions")
        .innerJoin("users", "users.id", "sessions.user_id")
        .select("sessions.id_hash")
        .where("users.username", "=", username),
    );

  test("the person whom the proxy names gets an account, and the same one afterwards", async () => {
    expect((await gateway.visitor("GET", "/api/status")).body.data.proxy_login).toBe(true);
    const browser = openBrowser("alice@example.org");
    const first = await browser.signIn();
    expect(first.body).toMatchObject({ success: true, data: { username: "alice", role: 1 } });
    expect((await browser.self()).body.data).toMatchObject({
      username: "alice",
      email: "",
      has_password: false,
    });
    const again = await openBrowser("alice@example.org").signIn();
    expect(again.body.data.uuid).toBe(first.body.data.uuid);
    expect((await openBrowser("Alice@example.org").signIn()).body.data.uuid).not.toBe(
      first.body.data.uuid,
    );
  });

  test("groups of the proxy bring a person into a team and out, and nobody else does", async () => {
    const root = await gateway.signIn("root");
    const team = (await root("POST", "/api/team/", { body: { name: "Search" } })).body.data;
    const rule = {
      ...{ claim: "groups", value: "search", role: null, group: "" },
      ...{ team: team.uuid, team_role: "member", team_budget: { amount: 500, window: "day" } },
    };
    const setRules = (rules: object[]) =>
      root("PUT", "/api/option/", {
        body: { key: "TrustedSignInRules", value: JSON.stringify(rules) },
      });
    expect((await setRules([rule])).body).toMatchObject({ success: true });
    const browser = openBrowser("teammate@example.org");
    browser.visitor.groups = "search";
    const user_id = (await browser.signIn()).body.data.id;
    const members = async () => (await root("GET", `/api/team/${team.id}/members`)).body.data;
    expect(await members()).toMatchObject([
      {},
      { user_id, role: "member", by_provider: { slug: "", name: "" } },
    ]);
    const budgets = `/api/team/${team.id}/budgets?user_id=${user_id}`;
    expect((await root("GET", budgets)).body.data).toMatchObject([{ amount: 500, window: "day" }]);
    const removal = await root("POST", `/api/team/${team.id}/remove_member`, { body: { user_id } });
    expect(removal.body).toMatchObject({
      code: "team_member_by_provider",
      message: "A sign-in provider decides on this. Change it there",
    });
    browser.visitor.groups = "others";
    await browser.signIn();
    expect(await members()).toHaveLength(1);
    await setRules([]);
  });

  test("a header of another peer, or without the secret, signs no one in and is counted", async () => {
    for (const [change, reason] of [
      [{ peer: "203.0.113.7" }, "peer"],
      [{ secret: "a guess of the secret's text" }, "secret"],
      [{ name: "mallory, alice@example.org" }, "name"],
    ] as const) {
      refused.length = 0;
      const browser = openBrowser("alice@example.org");
      Object.assign(browser.visitor, change);
      expect((await browser.signIn()).body).toMatchObject({
        success: false,
        code: "proxy_user_missing",
      });
      expect((await browser.self()).body.code).toBe("not_logged_in");
      expect(new Set(refused)).toEqual(new Set([reason]));
    }
  });

  test("the header alone is no sign-in, and asks for the proof that a cookie asks for", async () => {
    const browser = openBrowser("carol");
    expect((await browser.self()).body.code).toBe("not_logged_in");
    await browser.signIn();
    const foreign = { [consoleHeader.name]: "", origin: "https://evil.example" };
    const put = { body: { display_name: "Mallory" }, headers: foreign };
    expect((await browser.ask("PUT", "/api/user/self", put)).body.code).toBe(
      "same_origin_required",
    );
    expect(
      (await browser.ask("PUT", "/api/user/self", { body: { display_name: "Carol" } })).body
        .success,
    ).toBe(true);
  });

  test.each([
    ["another user", { name: "dave" }],
    ["no user", { name: "" }],
    ["the same person without the secret", { secret: "another-secret-of-24-chars" }],
    ["the same person from elsewhere", { peer: "203.0.113.7" }],
  ])("the sign-in ends as soon as a request names %s", async (_, change) => {
    const browser = openBrowser("erin");
    await browser.signIn();
    const before = (await sessionsOf("erin")).length;
    const kept = { ...browser.visitor };
    Object.assign(browser.visitor, change);
    expect((await browser.self()).body.code).toBe("not_logged_in");
    Object.assign(browser.visitor, kept);
    expect((await browser.self()).body.code).toBe("not_logged_in");
    expect((await sessionsOf("erin")).length).toBe(before - 1);
  });

  test("groups of the proxy give role and price group, and take away what they gave", async () => {
    const root = await gateway.signIn("root");
    const rule = (value: string, role: number | null, group: string) => ({
      claim: "groups",
      value,
      role,
      group,
    });
    const rules = JSON.stringify([rule("ops", 10, ""), rule("staff", null, "vip")]);
    const set = (value: string) =>
      root("PUT", "/api/option/", { body: { key: "TrustedSignInRules", value } });
    expect(
      (await set('[{"claim":"groups","value":"ops","role":100,"group":""}]')).body.success,
    ).toBe(false);
    expect((await set(rules)).body.success).toBe(true);
    const browser = openBrowser("kim");
    browser.visitor.groups = "staff|ops";
    expect((await browser.signIn()).body.data.username).toBe("kim");
    expect((await browser.self()).body.data).toMatchObject({ role: 10, group: "vip" });
    browser.visitor.groups = "guests";
    await browser.signIn();
    expect((await browser.self()).body.data).toMatchObject({ role: 1, group: "default" });
    await set("[]");
  });

  test("a sign-in with a password does not depend on whom the proxy names", async () => {
    await gateway.addUser("frank");
    const browser = openBrowser("someone-else");
    await browser.ask("POST", "/api/user/login", { body: { username: "frank", password } });
    expect((await browser.self()).body.data.username).toBe("frank");
    browser.visitor.name = "";
    expect((await browser.self()).body.data.username).toBe("frank");
  });

  test("a person binds the proxy's name to their own account, and a name never finds one by itself", async () => {
    const { uuid } = await gateway.addUser("grace");
    const stranger = await openBrowser("grace").signIn();
    expect(stranger.body.data.uuid).not.toBe(uuid);
    const browser = openBrowser("grace.hopper");
    await browser.ask("POST", "/api/user/login", { body: { username: "grace", password } });
    expect((await browser.signIn("bind")).body).toMatchObject({ success: true, message: "bind" });
    expect((await openBrowser("grace.hopper").signIn()).body.data.uuid).toBe(uuid);
    const accounts = await browser.ask("GET", "/api/user/external");
    expect(accounts.body.data).toEqual([
      expect.objectContaining({ provider: "proxy", name: "grace.hopper" }),
    ]);
  });

  test("root neither binds a name nor is signed in by one, and a sign-in ends when its user becomes root", async () => {
    const browser = openBrowser("heidi");
    await browser.ask("POST", "/api/user/login", { body: { username: "root", password } });
    expect((await browser.signIn("bind")).body.code).toBe("proxy_user_is_root");
    const other = openBrowser("heidi");
    await other.signIn();
    const setRole = (role: number) =>
      gateway.db.write([
        {
          query: gateway.db.sql.updateTable("users").set({ role }).where("username", "=", "heidi"),
        },
      ]);
    await setRole(100);
    expect((await other.self()).body.code).toBe("not_logged_in");
    expect((await other.signIn()).body.code).toBe("proxy_user_is_root");
    await setRole(1);
  });

  test("the second factor is asked for, as after a password", async () => {
    const user = await addTotpUser(gateway, "ivan");
    const browser = openBrowser("ivan.there");
    const code = () => codeAt(user.secret, gateway.clock.now);
    gateway.clock.now += 60_000;
    await browser.ask("POST", "/api/user/login", {
      body: { username: "ivan", password, totp_code: code() },
    });
    await browser.signIn("bind");
    gateway.clock.now += 60_000;
    const later = openBrowser("ivan.there");
    const { body, state } = await later.signIn();
    expect(body).toMatchObject({ success: false, code: "totp_required" });
    expect(
      (await later.ask("POST", "/api/oauth/totp", { body: { state, totp_code: code() } })).body.data
        .username,
    ).toBe("ivan");
    later.visitor.name = "judy";
    expect((await later.self()).body.code).toBe("not_logged_in");
  });
});
