/**
 * Captchas over the management API: who is asked, what the service is asked, and what its answers
 * do.
 */
import { captchaHeader } from "@tollgate/contract/accounts/captcha.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startNoticeReceiver } from "../harness/notice-receiver.ts";
import { testLarge } from "../support/large-tests.ts";
import { ruleDatabases } from "../support/test-databases.ts";
import { answerTo } from "../support/work-answer.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describe.each(ruleDatabases)("captchas on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let service: Awaited<ReturnType<typeof startNoticeReceiver>>;
  const set = async (key: string, value: string) =>
    (await root("PUT", "/api/option/", { body: { key, value } })).body;
  const says = (body: object, status = 200) =>
    Object.assign(service.answer, { status, body: JSON.stringify(body) });
  const passes = (action: string) =>
    says({ success: true, hostname: "gate.example", action, "error-codes": [] });

  beforeAll(async () => {
    service = await startNoticeReceiver();
    gateway = await startManagementGateway(database, undefined, service.url);
    root = await gateway.signIn("root");
    await gateway.addUser("olga");
    expect((await set("TurnstileCheckEnabled", "true")).code).toBe("option_incomplete");
    for (const name of ["Turnstile", "HCaptcha"]) {
      await set(`${name}SiteKey`, `site-of-${name}`);
      await set(`${name}SecretKey`, `secret-of-${name}`);
    }
    // Without the own address no token could be told from one of another site.
    expect((await set("TurnstileCheckEnabled", "true")).message).toMatch(/ServerAddress/);
    await set("ServerAddress", "https://gate.example");
    expect((await set("TurnstileCheckEnabled", "true")).success).toBe(true);
    expect((await set("ServerAddress", "")).message).toMatch(
      /cannot be empty while TurnstileCheckEnabled is on/,
    );
  });
  beforeEach(() => {
    service.received.length = 0;
    gateway.silences.length = 0;
    // Past the limit of attempts of one place.
    gateway.clock.now += 3_600_000;
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
    await service.close();
  });

  let places = 0;
  /** Each from a network of its own. */
  const visitor = () => {
    places += 1;
    return gateway.from(`203.0.113.${places}`);
  };
  const register = (
    client: TestApiClient,
    username: string,
    headers: Record<string, string> = {},
  ) =>
    client("POST", "/api/user/register", {
      body: { username, password: `a good password of ${username}` },
      headers,
    });
  const token = (text = "0.token-1_x") => ({ [captchaHeader]: text });
  const codeOf = async (reply: ReturnType<typeof register>) => (await reply).body.code;

  test("a registration needs a token, and the service is asked with the secret and nothing about the visitor", async () => {
    const asked = await register(visitor(), "ada");
    const task = { service: "turnstile", action: "register" };
    expect(asked.body).toMatchObject({ success: false, code: "captcha_required", data: task });
    expect(service.received).toEqual([]);
    passes("register");
    expect((await register(visitor(), "ada", token())).body.success).toBe(true);
    const [question] = service.received;
    expect(question?.path).toBe("/turnstile/v0/siteverify");
    expect(Object.fromEntries(new URLSearchParams(question?.body))).toEqual({
      secret: "secret-of-Turnstile",
      response: "0.token-1_x",
    });
    const { data } = (await gateway.visitor("GET", "/api/status")).body;
    expect(data).toMatchObject({
      captcha: "turnstile",
      turnstile_check: true,
      turnstile_site_key: "site-of-Turnstile",
    });
  });

  test("a token that is used, of another action or host, or none at all registers no account and says why", async () => {
    const client = visitor();
    const tries: [body: object, code: string, message: RegExp][] = [
      [
        { success: false, "error-codes": ["timeout-or-duplicate"] },
        "captcha_expired",
        /expired or was used before/,
      ],
      [
        { success: false, "error-codes": ["invalid-input-response"] },
        "captcha_refused",
        /invalid-input-response/,
      ],
      [
        { success: true, hostname: "gate.example", action: "reset" },
        "captcha_refused",
        /another action/,
      ],
      [
        { success: true, hostname: "shop.example", action: "register" },
        "captcha_refused",
        /another host name/,
      ],
      [{ success: true }, "captcha_refused", /another host name/],
    ];
    for (const [body, code, message] of tries) {
      says(body);
      expect((await register(client, "eve", token())).body, JSON.stringify(body)).toMatchObject({
        code,
        message: expect.stringMatching(message),
        data: { service: "turnstile" },
      });
    }
    passes("register");
    const asked = service.received.length;
    for (const text of ["<script>alert(1)</script>", "a b", "x".repeat(8193)])
      expect(await codeOf(register(client, "eve", token(text)))).toBe("captcha_refused");
    expect(service.received).toHaveLength(asked);
  });

  test("mails to strangers need one, also in the way of other consoles; users who are signed in are not asked", async () => {
    passes("verify");
    const client = visitor();
    const verify = (query = "") => client("GET", `/api/verification?email=a@example.org${query}`);
    expect((await verify()).body.code).toBe("captcha_required");
    expect((await verify("&turnstile=0.token")).body.code).not.toMatch(/captcha/);
    passes("reset");
    const reset = (headers = {}) =>
      client("POST", "/api/reset_password", { body: { email: "a@example.org" }, headers });
    expect((await reset()).body.data).toEqual({ service: "turnstile", action: "reset" });
    expect((await reset(token())).body.code).not.toMatch(/captcha/);
    const mine = await root("POST", "/api/verification", { body: { email: "b@example.org" } });
    expect(mine.body.code).not.toMatch(/captcha/);
  });

  test("a sign-in needs it after two failures from one place, known name or not", async () => {
    passes("sign-in");
    for (const username of ["olga", "not-here"]) {
      const client = visitor();
      const signIn = (secret: string, headers = {}) =>
        client("POST", "/api/user/login", { body: { username, password: secret }, headers });
      for (let round = 0; round < 2; round += 1)
        expect((await signIn("wrong password")).body.code).toBe("wrong_credentials");
      expect((await signIn(password)).body.code).toBe("captcha_required");
      expect((await signIn("wrong password", token())).body.code).toBe("wrong_credentials");
      expect((await signIn(password, token())).body.success).toBe(username === "olga");
    }
  });

  test("one place makes the service work 30 times in ten minutes at most", {
    tags: ["large"],
  }, async () => {
    says({ success: false, "error-codes": ["invalid-input-response"] });
    const client = visitor();
    const signIn = (headers = {}) =>
      client("POST", "/api/user/login", {
        body: { username: "olga", password: "wrong password" },
        headers,
      });
    const codes = new Set<string | undefined>();
    for (let round = 0; round < 2; round += 1) await signIn();
    for (let round = 0; round < 40; round += 1) codes.add((await signIn(token())).body.code);
    expect([...codes]).toEqual(["captcha_refused", "too_many_requests"]);
    expect(service.received).toHaveLength(30);
  });

  testLarge([
    ["is out", () => says({}, 503)],
    [
      "answers with a page",
      () => Object.assign(service.answer, { status: 200, body: "<html>sorry</html>" }),
    ],
    [
      "redirects",
      () =>
        Object.assign(service.answer, {
          status: 302,
          headers: { location: "https://example.org" },
        }),
    ],
    [
      "does not know the secret",
      () => says({ success: false, "error-codes": ["invalid-input-secret"] }),
    ],
  ] as const)("while the service %s, proof of work takes its place", async ([, breakService]) => {
    service.answer.headers = {};
    breakService();
    const client = visitor();
    const name = `pat${places}`;
    // A request without a token does not tell that the service is out.
    expect(await codeOf(register(client, name))).toBe("captcha_required");
    const asked = await register(client, name, token());
    expect(asked.body).toMatchObject({ code: "proof_of_work_required", data: { bits: 18 } });
    expect(gateway.silences).toHaveLength(1);
    expect(JSON.stringify(gateway.silences)).not.toContain("secret-of");
    const work = answerTo(asked.body.data);
    expect((await register(client, name, { ...token(), ...work })).body.success).toBe(true);
    expect(await codeOf(register(client, "again", { ...token(), ...work }))).toBe(
      "proof_of_work_required",
    );
    service.answer.headers = {};
  });

  test("hCaptcha is asked with its site key, and only one service is on", async () => {
    await set("HCaptchaCheckEnabled", "true");
    const shown = async () => (await gateway.visitor("GET", "/api/status")).body.data;
    expect(await shown()).toMatchObject({ captcha: "turnstile" });
    await set("TurnstileCheckEnabled", "false");
    expect(await shown()).toMatchObject({ captcha: "hcaptcha", turnstile_check: false });
    expect((await register(visitor(), "iris")).body.data).toEqual({
      service: "hcaptcha",
      action: "register",
    });
    says({
      success: true,
      hostname: "gate.example",
      challenge_ts: "2026-11-20T12:00:00Z",
      credit: true,
    });
    expect((await register(visitor(), "iris", token("P1_eyJ0.x"))).body.success).toBe(true);
    expect(service.received.at(-1)?.path).toBe("/siteverify");
    expect(Object.fromEntries(new URLSearchParams(service.received.at(-1)?.body))).toEqual({
      secret: "secret-of-HCaptcha",
      response: "P1_eyJ0.x",
      sitekey: "site-of-HCaptcha",
    });
    await set("HCaptchaCheckEnabled", "false");
    expect(await shown()).toMatchObject({ captcha: "none" });
    expect((await register(visitor(), "jon")).body.success).toBe(true);
  });
});
