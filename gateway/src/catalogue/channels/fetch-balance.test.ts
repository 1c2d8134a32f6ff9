import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEgress, type Egress } from "../../egress/egress.ts";
import type { ChannelRow } from "./channel-store.ts";
import { createFetchBalance } from "./fetch-balance.ts";

let server: Server;
let egress: Egress;
let base: string;
const seen: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? "";
    seen.push(`${request.method} ${path} ${request.headers.authorization}`);
    if (path.includes("subscription")) response.end('{"hard_limit_usd":100}');
    else if (path.includes("usage")) response.end('{"total_usage":2500}');
    else if (path.includes("user/balance")) response.end("<html>");
    else response.writeHead(403).end("no");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  base = `http://127.0.0.1:${port}`;
  egress = createEgress(new Set([`127.0.0.1:${port}`]));
});
afterAll(async () => {
  await egress.close();
  server.close();
});

const ask = (type: number, base_url = base) =>
  createFetchBalance(egress, { key: () => "sk-canary", proxy: () => undefined }, () =>
    Date.UTC(2026, 10, 21),
  )({
    type,
    base_url,
  } as ChannelRow);

test("the request goes to the channel's address with the channel's key", async () => {
  expect(await ask(1)).toEqual({ micros: 75_000_000 });
  expect(seen.sort()).toEqual([
    "GET /v1/dashboard/billing/subscription Bearer sk-canary",
    "GET /v1/dashboard/billing/usage?start_date=2026-08-13&end_date=2026-11-22 Bearer sk-canary",
  ]);
});

test("errors contain neither key nor address", { tags: ["F-101"] }, async () => {
  expect(await ask(20)).toEqual({ error: "the provider answered with status 403" });
  expect(await ask(36)).toEqual({ error: "the provider's answer is not JSON" });
  expect(await ask(1, "nowhere")).toEqual({ error: "the channel has no usable address" });
  expect(await ask(1, "http://127.0.0.1:1")).toEqual({
    error: expect.stringContaining("the upstream address"),
  });
});
