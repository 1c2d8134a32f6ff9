import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

let gateway: TestGateway;
let collector: Server;
const collected: { path: string; type: string; body: string }[] = [];

beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { url: path = "", headers } = request;
      const body = Buffer.concat(chunks).toString("latin1");
      collected.push({ path, type: headers["content-type"] ?? "", body });
      response.end("{}");
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const { port } = collector.address() as AddressInfo;
  gateway = await startTestGateway({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/otlp` },
  });
});
afterAll(async () => {
  await gateway.close();
  collector.close();
});

const ask = (key: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${gateway.url}/managed/settings`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
const setPolicies = (value: unknown): Promise<unknown> =>
  gateway.api("PUT", "/api/option/", { key: "AgentSettings", value: JSON.stringify(value) });

test("an agent gets the settings of its account's group, else those for all, else none", async () => {
  const { key } = await gateway.given.token();
  await setPolicies({});
  const none = await ask(key);
  expect(none.status).toBe(404);
  expect(await none.json()).toMatchObject({ error: { code: "no_policy" } });

  await setPolicies({ "*": { model: "for-all" }, vip: { model: "for-vip" } });
  expect(await (await ask(key)).json()).toMatchObject({ settings: { model: "for-all" } });
  await setPolicies({ "*": { model: "for-all" }, default: { model: "own" } });
  expect(await (await ask(key)).json()).toMatchObject({ settings: { model: "own" } });
});

test("an agent that has the newest settings is sent nothing", async () => {
  const { key } = await gateway.given.token();
  await setPolicies({ "*": { env: { A: "1" } } });
  const first = await ask(key);
  const { checksum, uuid } = (await first.json()) as { checksum: string; uuid: string };
  expect(first.headers.get("etag")).toBe(`"${checksum}"`);
  expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/);
  const again = await ask(key, { "if-none-match": `"${checksum}"` });
  expect(again.status).toBe(304);
  expect(await again.text()).toBe("");
  await setPolicies({ "*": { env: { A: "2" } } });
  expect((await ask(key, { "if-none-match": `"${checksum}"` })).status).toBe(200);
});

test("without a key, or with one that is disabled, nobody learns the settings", async () => {
  await setPolicies({ "*": { model: "for-all" } });
  expect((await fetch(`${gateway.url}/managed/settings`)).status).toBe(401);
  expect((await ask("sk-unknown")).status).toBe(401);
  const { id, key } = await gateway.given.token();
  await gateway.api("PUT", "/api/token/?status_only=true", { id, status: 2 });
  const refused = await ask(key);
  expect(refused.status).toBe(401);
  expect(await refused.text()).not.toContain("for-all");
});

test.each([
  ["a list", []],
  ["a group without settings", { default: "model" }],
  ["no group", { "a,b": {} }],
  ["more than 64 KiB", { "*": { a: "x".repeat(70_000) } }],
])("root cannot save %s", async (_, value) => {
  await expect(setPolicies(value)).rejects.toThrow(/JSON object of at most 64 KiB/);
});

const report = (key: string, signal: string, type: string, body: string): Promise<Response> =>
  fetch(`${gateway.url}/v1/${signal}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": type },
    body: Buffer.from(body, "latin1"),
  });
const reportsOfAgents = () => collected.filter(({ path }) => path !== "/otlp/v1/traces");

test("what an agent reports of itself reaches the operator's collector as it was written", async () => {
  const { key } = await gateway.given.token();
  const sent = await report(key, "metrics", "application/x-protobuf", "\x0a\x03dropped");
  expect(sent.status).toBe(200);

  await gateway.api("PUT", "/api/option/", { key: "AgentTelemetryEnabled", value: "true" });
  const bytes = "\x0a\x03\x00\xffmetric";
  const metrics = await report(key, "metrics", "application/x-protobuf", bytes);
  expect(metrics.headers.get("content-type")).toBe("application/x-protobuf");
  expect(await metrics.text()).toBe("");
  const logs = await report(key, "logs", "application/json", '{"resourceLogs":[]}');
  expect(await logs.json()).toEqual({});

  await eventually(async () => {
    expect(reportsOfAgents().toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
      { path: "/otlp/v1/logs", type: "application/json", body: '{"resourceLogs":[]}' },
      { path: "/otlp/v1/metrics", type: "application/x-protobuf", body: bytes },
    ]);
  });
});

test("nobody reports without a key, nor more than 4 MiB at once", async () => {
  expect((await report("sk-unknown", "logs", "application/json", "{}")).status).toBe(401);
  const { key } = await gateway.given.token();
  const large = await report(key, "logs", "application/json", "x".repeat(4 * 1024 * 1024 + 1));
  expect(large.status).toBe(413);
});
