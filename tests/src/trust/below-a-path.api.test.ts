// The gateway below a path of a host, behind nginx and behind Caddy as docs/operations.md
// configures them: with the path kept in the requests that they pass on, and with it taken off.
import { connect } from "node:net";
import { listOidcProviders } from "@tollgate/contract/accounts/oidc-providers.ts";
import OpenAI from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiSession, sendTo, signInSession } from "../harness/api-session.ts";
import { rootPassword } from "../harness/database-templates.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import type { FrontingProxy } from "../harness/fronting-proxy.ts";
import {
  defaultCharge,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import {
  type CannedRealtimeProvider,
  sendResponse,
  startCannedRealtimeProvider,
} from "../relay/canned-realtime-provider.ts";
import { frontingProxies, type StartFrontingProxy } from "./fronting-proxies.ts";

const path = "/tools/gate";

for (const { name, possible, start, tags } of frontingProxies)
  describe.skipIf(!possible.available).for([
    { isStripped: false, what: "kept" },
    { isStripped: true, what: "taken off" },
  ])(
    `below a path that ${name} has $what${possible.available ? "" : ` (${possible.reason})`}`,
    { tags },
    ({ isStripped }) => showSite(start, isStripped),
  );

function showSite(start: StartFrontingProxy, isStripped: boolean): void {
  let world: TestGateway;
  let proxy: FrontingProxy;
  let voice: CannedRealtimeProvider;
  let site: string;
  let root: ApiSession;
  let key: string;
  beforeAll(async () => {
    voice = await startCannedRealtimeProvider();
    voice.onEvent = (session, { type }) => {
      if (type === "response.create") sendResponse(session);
    };
    const port = await freePort();
    site = `http://127.0.0.1:${port}${path}`;
    world = await startTestGateway({
      upstreams: [voice.url],
      env: { PUBLIC_URL: `${site}/`, TRUSTED_PROXIES: "127.0.0.1" },
    });
    proxy = await start(world.url, { port, below: { path, isStripped } });
    root = await signInSession(sendTo(site), "root", rootPassword);
    await world.given.channel({ key: "sim-ok" });
    await world.given.channel({ key: "provider-key", base_url: voice.url, models: "gpt-realtime" });
    ({ key } = await root.data<{ key: string }>("POST", "/api/token/", {
      ...{ name: "first", remain_quota: 0, unlimited_quota: true, expired_time: -1 },
    }));
  });
  afterAll(async () => {
    await proxy.stop();
    expect(await world.audit()).toBe("The books agree.");
    await world.close();
    await voice.close();
  });

  test("a session begun below the path has a cookie of its own on the whole host", () => {
    expect(root.cookie).toMatch(/^(?:device|session)-[0-9a-f]{8}=/);
    expect(root.cookie).toMatch(/(?:^|; )session-[0-9a-f]{8}=/);
  });

  test("a call of a library is answered and charged once", async () => {
    const before = await world.settled();
    const client = new OpenAI({ baseURL: `${site}/v1`, apiKey: key, maxRetries: 0 });
    const { choices } = await client.chat.completions.create({
      model: "sim-model",
      messages: [{ role: "user", content: question }],
    });
    expect(choices[0]?.message.content).not.toBe("");
    const after = await world.settled();
    expect([after.rows - before.rows, after.charged - before.charged]).toEqual([1, defaultCharge]);
  });

  test("a realtime session is opened and charged", async () => {
    const before = await world.settled();
    const options = {
      createConnection: () => connect(Number(new URL(site).port), "127.0.0.1"),
    } as object;
    const client = new OpenAI({ baseURL: `${site}/v1`, apiKey: key, maxRetries: 0 });
    const session = new OpenAIRealtimeWS({ model: "gpt-realtime", options }, client);
    const done = new Promise((resolve) => session.once("response.done", resolve));
    session.once("session.created", () => session.send({ type: "response.create" }));
    await done;
    session.close();
    await eventually(async () => expect((await world.settled()).rows).toBe(before.rows + 1));
  });

  test("every address that the gateway tells is below the path", async () => {
    const read = async (target: string) => await (await fetch(site + target)).json();
    expect(await read("/.well-known/oauth-authorization-server")).toMatchObject({
      issuer: site,
      token_endpoint: `${site}/api/agent/token`,
    });
    expect(await read("/api/status")).toMatchObject({ data: { server_address: site } });
    const { callback_start } = await root.call(listOidcProviders);
    expect(callback_start).toBe(`${site}/oauth/oidc/`);
    const openApi = await root.request("GET", "/api/openapi.json");
    expect(openApi.body.servers).toEqual([{ url: site }]);
  });

  test("a page names its files below the path, and so does a bookmark of another gateway", async () => {
    const accept = { accept: "text/html" };
    for (const target of ["/", "/tokens", "/settings/system"]) {
      const page = await (await fetch(site + target, { headers: accept })).text();
      const named = [...page.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, name = ""]) => name);
      expect(named.filter((name) => !name.startsWith(`${path}/`))).toEqual([]);
    }
    const sent = await fetch(`${site}/console/token`, { headers: accept, redirect: "manual" });
    expect([sent.status, sent.headers.get("location")]).toEqual([302, `${path}/tokens`]);
  });

  test("what is not below the path is not the gateway's", async () => {
    const reply = await fetch(new URL("/api/status", site));
    expect(await reply.text()).not.toContain("server_address");
  });

  test("who leaves the slash out of the address comes to the console", async () => {
    const reply = await fetch(site, { headers: { accept: "text/html" } });
    expect(new URL(reply.url).pathname).toBe(`${path}/`);
  });
}

test("RFC 8414: the discovery document has an address at the root of the host as well", async () => {
  const world = await startTestGateway({ env: { PUBLIC_URL: `https://example.com${path}` } });
  try {
    const reply = await fetch(`${world.url}/.well-known/oauth-authorization-server${path}`);
    expect(await reply.json()).toMatchObject({ issuer: `https://example.com${path}` });
  } finally {
    await world.close();
  }
});
