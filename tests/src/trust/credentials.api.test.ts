// Keys, cookies and access tokens as an attacker uses them.
import { once } from "node:events";
import { connect } from "node:net";
import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiSession, readReply, sendTo } from "../harness/api-session.ts";
import { eventually } from "../harness/eventually.ts";
import { ruleDatabaseKinds } from "../harness/gateway-database.ts";
import { chatBody, model, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { type CannedProvider, startCannedProvider } from "../relay/canned-provider.ts";
import { keyHeaders } from "./key-headers.ts";
import { sqlPayloads } from "./sql-payloads.ts";

describe.each(ruleDatabaseKinds)("credentials on %s", (store) => {
  let world: TestGateway;
  let canned: CannedProvider;
  beforeAll(async () => {
    canned = await startCannedProvider();
    // The tests are many sources, each with its own limits.
    world = await startTestGateway({
      store,
      upstreams: [canned.url],
      env: { TRUSTED_PROXIES: "127.0.0.1" },
    });
    await world.given.channel({ key: "sim-ok", models: `${model},other-model` });
  });
  afterAll(async () => {
    await world.close();
    await canned.close();
  });

  const chatWith = async (headers: Record<string, string>, body = chatBody()) =>
    readReply(
      await fetch(`${world.url}/v1/chat/completions`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      }),
    );
  const statusOf = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(world.url + path, {
      headers: { [consoleHeader.name]: consoleHeader.value, ...headers },
    });
    await response.text();
    return response.status;
  };
  /** Everything that is the beginning of a credential, or it and something more. */
  const nearly = (secret: string) => [
    ...Array.from({ length: secret.length - 1 }, (_, n) => secret.slice(0, n + 1)),
    `${secret}x`,
    `${secret}${secret}`,
    `${secret.slice(0, -1)}${secret.endsWith("0") ? "1" : "0"}`,
  ];

  test("F-01 no part of a credential is taken for the whole, although the whole was just used", {
    tags: ["F-01"],
  }, async () => {
    const { key } = await world.given.token();
    const user = await world.given.user(`whole-${store}`);
    const [name = "", session = ""] = (user.cookie.split(";")[0] ?? "").split("=");
    const access = await user.data<string>("POST", "/api/user/token", {});
    const known: [what: string, secret: string, status: (secret: string) => Promise<number>][] = [
      ["API key", key, (secret) => statusOf("/v1/models", { authorization: `Bearer ${secret}` })],
      ["session", session, (secret) => statusOf("/api/user/self", { cookie: `${name}=${secret}` })],
      ["access token", access, (secret) => statusOf("/api/user/self", { authorization: secret })],
    ];
    for (const [what, secret, status] of known) {
      expect(await status(secret), what).toBe(200);
      for (const part of nearly(secret)) expect(await status(part), `${what} ${part}`).toBe(401);
      expect(await status(secret), what).toBe(200);
    }
  });

  // Hashing has nothing to do with the database.
  if (store === "sqlite") {
    test("F-07 a wrong password takes as long for an unknown name as for a known one", {
      tags: ["F-07"],
    }, async () => {
      const known = [];
      for (let n = 0; n < 5; n += 1)
        known.push((await world.given.user(`known-${n}-${store}`)).username);
      const tried = async (username: string, source: string) => {
        const startedAt = performance.now();
        const reply = await readReply(
          await fetch(`${world.url}/api/user/login`, {
            method: "POST",
            headers: { "content-type": "application/json", "x-forwarded-for": source },
            body: JSON.stringify({ username, password: "not the password" }),
          }),
        );
        const { request_id: _, ...said } = reply.body;
        return { ms: performance.now() - startedAt, said: JSON.stringify([reply.status, said]) };
      };
      const times: Record<"known" | "unknown", number[]> = { known: [], unknown: [] };
      const answers = new Set<string>();
      // In turns, so that whatever slows the machine down slows both.
      for (const [n, username] of known.entries()) {
        const one = await tried(username, `10.0.1.${n}`);
        const other = await tried(`nobody-${n}`, `10.0.2.${n}`);
        times.known.push(one.ms);
        times.unknown.push(other.ms);
        answers.add(one.said).add(other.said);
      }
      // The fastest of each: other programs can only slow a call down. Without hashing for an
      // unknown user the one would be tens of times the other.
      const ratio = Math.min(...times.known) / Math.min(...times.unknown);
      expect(ratio).toBeGreaterThan(1 / 3);
      expect(ratio).toBeLessThan(3);
      expect(answers.size).toBe(1);
    });
  }

  test("F-21 a token gives no right that its owner does not have, neither when it is made nor when it is used", {
    tags: ["F-21"],
  }, async () => {
    await world.given.channel({ key: "sim-as-vip", models: "vip-model", group: "vip" });
    const plain = await world.given.user(`plain-${store}`, { quota: 1_000_000 });
    for (const fields of [
      { expired_time: 2 ** 53 },
      { expired_time: "never" },
      { remain_quota: -1 },
      { remain_quota: 2 ** 53 },
      { subnet: "everywhere" },
      { subnet: "10.0.0.0/33" },
      { models: 7 },
    ])
      expect(
        (await plain.request("POST", "/api/token/", { name: "odd", ...fields })).status,
        JSON.stringify(fields),
      ).toBe(400);
    const reach = {
      user_id: 1,
      used_quota: -5,
      status: 1,
      group: "vip",
      channel: 1,
      models: "vip-model",
    };
    const reached = await plain.request("POST", "/api/token/", {
      name: "reach",
      unlimited_quota: true,
      ...reach,
    });
    if (reached.body.success) {
      expect(reached.body.data).toMatchObject({ user_id: plain.id, used_quota: 0 });
      const used = await world.chat(reached.body.data.key, { model: "vip-model" });
      expect([403, 404]).toContain(used.status);
      expect((await world.chat(`${reached.body.data.key}-1`)).status).toBe(403);
    }
    // A right that is withdrawn is withdrawn from existing tokens too.
    const guest = await world.given.user(`guest-${store}`, { quota: 1_000_000, group: "vip" });
    const { key } = await guest.token({ models: "vip-model" });
    expect((await world.chat(key, { model: "vip-model" })).status).toBe(200);
    await world.api("PUT", "/api/user/", { id: guest.id, group: "default" });
    await eventually(async () =>
      expect((await world.chat(key, { model: "vip-model" })).status).toBe(404),
    );
  });

  test("F-29 a restriction of a key holds by whatever header the key comes", {
    tags: ["F-29"],
  }, async () => {
    const expiry = Math.floor(Date.now() / 1000) + 1;
    const disabled = await world.given.token();
    const restricted: [what: string, key: string, status: number][] = [
      ["not for this model", (await world.given.token({ models: "other-model" })).key, 403],
      ["not from here", (await world.given.token({ subnet: "10.99.0.0/16" })).key, 403],
      ["expired", (await world.given.token({ expired_time: expiry })).key, 401],
      ["disabled", disabled.key, 401],
      ["spent", (await world.given.token({ unlimited_quota: false, remain_quota: 0 })).key, 401],
      [
        "too little left",
        (await world.given.token({ unlimited_quota: false, remain_quota: 3 })).key,
        403,
      ],
    ];
    await world.api("PUT", "/api/token/?status_only=1", { id: disabled.id, status: 2 });
    await eventually(() => expect(Date.now() / 1000).toBeGreaterThan(expiry + 1));
    const before = await world.settled();

    for (const [what, key, status] of restricted) {
      const said = new Set<string>();
      for (const [carrier, headers] of keyHeaders) {
        const reply = await chatWith(headers(key), chatBody({ max_tokens: 12 }));
        expect([what, carrier, reply.status]).toEqual([what, carrier, status]);
        said.add(reply.body.error.message.replace(/\d{21}/, ""));
      }
      expect([what, said.size]).toEqual([what, 1]);
      const inAddress = await fetch(`${world.url}/v1/models?key=${key}`);
      expect([what, inAddress.status]).toEqual([what, 401]);
      await inAddress.text();
    }
    expect(await world.settled()).toEqual(before);
  });

  test("F-31 a WebSocket upgrade without a valid key reaches no upstream", {
    tags: ["F-31"],
  }, async () => {
    await world.given.channel({ key: "k", base_url: canned.url, models: "realtime-model" });
    const disabled = await world.given.token();
    await world.api("PUT", "/api/token/?status_only=1", { id: disabled.id, status: 2 });
    const spent = await world.given.token({ unlimited_quota: false, remain_quota: 0 });
    const { hostname, port } = new URL(world.url);
    for (const key of ["", "sk-nobody", disabled.key, spent.key]) {
      const socket = connect(Number(port), hostname);
      let answer = "";
      socket.setEncoding("latin1").on("data", (text: string) => {
        answer += text;
      });
      socket.on("error", () => undefined);
      await once(socket, "connect");
      const head = [
        "GET /v1/realtime?model=realtime-model HTTP/1.1",
        "host: gateway",
        "connection: Upgrade",
        "upgrade: websocket",
        "sec-websocket-version: 13",
        "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
        ...(key
          ? [
              `authorization: Bearer ${key}`,
              `sec-websocket-protocol: realtime, openai-insecure-api-key.${key}`,
            ]
          : []),
      ];
      socket.write(`${head.join("\r\n")}\r\n\r\n`);
      await eventually(() => expect(answer).toMatch(/^HTTP\/1\.1 /));
      expect(answer).toMatch(/^HTTP\/1\.1 [45]\d\d /);
      socket.destroy();
    }
    expect(canned.requests).toEqual([]);
  });

  test("F-97 no page may be framed, and nothing of the API may be kept", {
    tags: ["F-97"],
  }, async () => {
    for (const path of ["/", "/login", "/api/status", "/api/user/self", "/api/nothing"]) {
      const { headers, status } = await readReply(await fetch(world.url + path));
      expect([path, status < 500]).toEqual([path, true]);
      expect([path, headers.get("x-frame-options"), headers.get("x-content-type-options")]).toEqual(
        [path, "DENY", "nosniff"],
      );
      expect(headers.get("content-security-policy"), path).toContain("frame-ancestors 'none'");
      if (path.startsWith("/api")) expect(headers.get("cache-control"), path).toContain("no-store");
    }
  });

  test("F-60 SQL in any credential, header, path or body of a failing call is text like any other", {
    tags: ["F-60"],
  }, async () => {
    const user = await world.given.user(`target-${store}`);
    const askAs = createApiSession(sendTo(world.url), { cookie: user.cookie }).request;
    const before = await world.rows("select id, username, role, status from users order by id");
    const expectPlain = (
      { status, text }: { status: number; text: string },
      ms: number,
      about: string,
    ) => {
      expect([200, 400, 401, 403, 404, 429], about).toContain(status);
      // Some refusals of the management API have status 200 and say so in the body.
      if (status === 200) expect(text, about).toMatch(/^{"success":false/);
      expect(text, about).not.toMatch(
        /sqlite|postgres|syntax error|near "|unterminated|relation "|no such|pg_/i,
      );
      // A payload that sleeps asks for twenty seconds.
      expect(ms, about).toBeLessThan(15_000);
    };
    const timed = async (about: string, run: () => Promise<{ status: number; text: string }>) => {
      const startedAt = performance.now();
      const reply = await run();
      expectPlain(reply, performance.now() - startedAt, about);
    };
    for (const payload of sqlPayloads) {
      const header = encodeURIComponent(payload).replaceAll("%20", " ").replaceAll("%27", "'");
      for (const [carrier, headers] of keyHeaders)
        await timed(`${carrier} ${payload}`, () => chatWith(headers(`sk-${header}`)));
      await timed(`cookie ${payload}`, () =>
        createApiSession(sendTo(world.url), {
          cookie: `session=${header}; __Host-session=${header}`,
        }).request("GET", "/api/user/self"),
      );
      await timed(`access token ${payload}`, async () =>
        readReply(
          await fetch(`${world.url}/api/user/self`, { headers: { authorization: header } }),
        ),
      );
      await timed(`path ${payload}`, () =>
        askAs("GET", `/api/token/${encodeURIComponent(payload)}`),
      );
      await timed(`body ${payload}`, () => askAs("POST", "/api/user/topup", { key: payload }));
      await timed(`id ${payload}`, () =>
        askAs("PUT", "/api/token/", { id: payload, name: payload }),
      );
      await timed(`sort ${payload}`, () =>
        askAs("GET", `/api/token/?sort=${encodeURIComponent(payload)}`),
      );
    }
    expect(await world.rows("select id, username, role, status from users order by id")).toEqual(
      before,
    );
  });
});
