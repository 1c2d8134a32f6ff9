/**
 * Attacks on what an agent asks of its gateway besides answers: the settings that its operator
 * wrote, and the place for its reports; and by a program whose person has signed it out.
 */
import { createServer, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { agentPaths, deviceGrant } from "@tollgate/contract/accounts/agent-sign-ins.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { startTestGateway, type TestGateway, type TestUser } from "../harness/test-gateway.ts";

let gateway: TestGateway;
let collector: Server;
let person: TestUser;
let key: string;
const collected: { headers: Record<string, unknown>; path: string; bytes: number }[] = [];
/** Answers that the collector keeps back, while it is slow. */
const waiting: ServerResponse[] = [];
let isSlow = false;

beforeAll(async () => {
  collector = createServer((incoming, response) => {
    let bytes = 0;
    incoming.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    incoming.on("end", () => {
      const { url: path = "", headers } = incoming;
      collected.push({ headers, path, bytes });
      if (isSlow) waiting.push(response);
      else response.end("{}");
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const { port } = collector.address() as AddressInfo;
  gateway = await startTestGateway({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/otlp`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-collector-key=of-the-operator",
      // Spans of the gateway itself would be among the reports.
      OTEL_TRACES_SAMPLER: "always_off",
    },
  });
  await gateway.api("PUT", "/api/option/", { key: "AgentTelemetryEnabled", value: "true" });
  const policies = { "*": { model: "for-all" }, vip: { model: "for-vip" } };
  await gateway.api("PUT", "/api/option/", {
    key: "AgentSettings",
    value: JSON.stringify(policies),
  });
  person = await gateway.given.user("ada");
  key = (await person.token()).key;
});
afterAll(async () => {
  for (const response of waiting) response.end("{}");
  await gateway.close();
  collector.close();
});
beforeEach(() => {
  collected.length = 0;
});

const settings = (secret: string, query = "", headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}/managed/settings${query}`, {
    headers: { authorization: `Bearer ${secret}`, ...headers },
  });
const report = (
  secret: string,
  body: string | Buffer,
  { signal = "logs", ...headers }: Record<string, string> = {},
) =>
  fetch(`${gateway.url}/v1/${signal}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      ...headers,
    },
    body,
  });
const reports = () => collected.filter(({ path }) => path !== "/otlp/v1/traces");

test("an attack fails: the settings of another group, by naming it in the address or a header", async () => {
  for (const query of ["", "?group=vip", "?user=root&group[]=vip", "/vip", "?key=sk-x"]) {
    const reply = await settings(key, query, {
      "x-group": "vip",
      "x-tollgate-group": "vip",
      "x-user-group": "vip",
    });
    expect(await reply.text(), query).not.toContain("for-vip");
  }
  for (const etag of ['"*"', "*", 'W/"x"', '"', "x".repeat(4_000)]) {
    const reply = await settings(key, "", { "if-none-match": etag });
    expect(await reply.json()).toMatchObject({ settings: { model: "for-all" } });
    expect(reply.headers.get("cache-control")).toBe("no-store");
  }
});

test("an attack fails: settings and reports with a secret that is no API key", async () => {
  const accessToken = (await person.data<{ access_token: string }>("GET", "/api/user/token"))
    .access_token;
  for (const secret of [String(accessToken), "", "sk-", "undefined", `${key}x`]) {
    expect((await settings(secret)).status, secret).toBe(401);
    expect((await report(secret, "{}")).status, secret).toBe(401);
  }
  expect(reports()).toEqual([]);
});

test("an attack fails: reports that are too large, compressed, or longer than they say", async () => {
  const large = Buffer.alloc(4 * 1024 * 1024 + 1, "x");
  const url = new URL(`${gateway.url}/v1/logs`);
  const headers = { authorization: `Bearer ${key}`, "transfer-encoding": "chunked" };
  const status = await new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject);
    sent.end(large);
  });
  expect(status).toBe(413);
  const gzip = await report(key, Buffer.from("1f8b0800", "hex"), { "content-encoding": "gzip" });
  expect(gzip.status).toBe(415);
  expect(reports()).toEqual([]);
});

test("an attack fails: headers for the collector, and keys of the gateway read there", async () => {
  const hostile = {
    "content-type": "text/html; charset=utf-7",
    "x-collector-key": "of-the-attacker",
    cookie: "a=b",
    "x-scope-orgid": "other-tenant",
    "content-language": "x",
  };
  expect((await report(key, "<script>", hostile)).status).toBe(200);
  await eventually(async () => expect(reports()).toHaveLength(1));
  const [got] = reports();
  expect(got?.path).toBe("/otlp/v1/logs");
  expect(got?.headers).toMatchObject({
    "content-type": "application/json",
    "x-collector-key": "of-the-operator",
  });
  expect(JSON.stringify(got?.headers)).not.toMatch(/attacker|tenant|cookie|utf-7/);
  expect(JSON.stringify(got)).not.toContain(key);
});

test("an attack fails: reports nested as deep as they go, and no reports at all", async () => {
  const sent = ["[".repeat(200_000), '{"a":'.repeat(50_000), "", "\0", "{", '{"__proto__":{}}'];
  for (const [turn, body] of sent.entries()) {
    expect((await report(key, body)).status).toBe(200);
    await eventually(async () => expect(reports()).toHaveLength(turn + 1));
  }
  expect(reports().map(({ bytes }) => bytes)).toEqual(sent.map((body) => body.length));
});

test("an attack fails: another signal, address or server, by the path", async () => {
  for (const signal of ["logs/../../admin", "logs%2f..", "logs?url=http://x", "profiles", "logs@x"])
    await report(key, "{}", { signal });
  for (const { path } of reports()) expect(path).toBe("/otlp/v1/logs");
});

test("an attack fails: so many reports on their way that those of others are dropped", async () => {
  const other = (await (await gateway.given.user("grace")).token()).key;
  isSlow = true;
  await Promise.all(Array.from({ length: 40 }, () => report(key, "mine")));
  await eventually(async () => expect(reports().length).toBeGreaterThanOrEqual(4));
  // Other keys of the same person have no room either.
  const more = (await person.token()).key;
  await Promise.all(Array.from({ length: 10 }, () => report(more, "mine")));
  expect((await report(other, "that of another person")).status).toBe(200);
  await eventually(async () =>
    expect(reports().map(({ bytes }) => bytes)).toContain("that of another person".length),
  );
  expect(reports().filter(({ bytes }) => bytes === "mine".length)).toHaveLength(4);
  isSlow = false;
  for (const response of waiting.splice(0)) response.end("{}");
});

test("an attack fails: more reports than 300 a minute with one key", async () => {
  const flooded = (await person.token()).key;
  const statuses: number[] = [];
  for (let turn = 0; turn < 13; turn += 1)
    statuses.push(
      ...(await Promise.all(
        Array.from({ length: 25 }, async () => (await report(flooded, "{}")).status),
      )),
    );
  expect(statuses.filter((status) => status === 200)).toHaveLength(300);
  expect(statuses.filter((status) => status === 429)).toHaveLength(25);
  expect((await report(key, "{}")).status).toBe(200);
});

test("an attack fails: the page of the code in a frame, its address told to others, its door from other sites", async () => {
  const page = await fetch(`${gateway.url}/device?user_code=BCDF-GHJK`);
  expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(page.headers.get("referrer-policy")).toMatch(/no-referrer|same-origin/);
  const origin = "https://evil.example";
  for (const method of ["OPTIONS", "POST"]) {
    const ask = async (path: string) =>
      (
        await fetch(gateway.url + path, {
          method,
          headers: { origin, "access-control-request-method": "POST" },
        })
      ).headers;
    for (const path of [agentPaths.device, agentPaths.token, "/api/agent/device/answer"])
      expect((await ask(path)).get("access-control-allow-origin"), path).toBeNull();
    // Any page may send an API key that it has, and no browser adds anything to that by itself.
    for (const path of ["/managed/settings", "/v1/logs"])
      expect((await ask(path)).get("access-control-allow-credentials"), path).toBeNull();
  }
});

test("an attack fails: settings and reports by a program after its person has signed it out", async () => {
  const post = async (path: string, fields: Record<string, string>) =>
    (await (
      await fetch(gateway.url + path, {
        method: "POST",
        headers: { "user-agent": "claude-cli/2.1.332 (external, cli)" },
        body: new URLSearchParams(fields),
      })
    ).json()) as Record<string, string>;
  const started = await post(agentPaths.device, {});
  const { user_code } = started;
  await fetch(`${gateway.url}/device?user_code=${user_code}`);
  await person.data("POST", "/api/agent/device/answer", { user_code, approve: true });
  const issued = await post(agentPaths.token, {
    grant_type: deviceGrant,
    device_code: started.device_code ?? "",
  });
  const secret = issued.access_token ?? "";
  expect((await settings(secret)).status).toBe(200);
  expect((await report(secret, "{}")).status).toBe(200);
  await person.data("DELETE", "/api/user/sessions");
  await eventually(async () => expect((await settings(secret)).status).toBe(401));
  expect((await report(secret, "{}")).status).toBe(401);
  expect((await gateway.chat(secret)).status).toBe(401);
  const said = gateway.process.output();
  expect(said).toContain("management call");
  for (const one of [secret, started.device_code, user_code, issued.refresh_token])
    expect(said).not.toContain(one);
});
