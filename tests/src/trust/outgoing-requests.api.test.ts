// Where the gateway may be sent: everything that callers and operators can write is aimed at a
// listener that must never hear from it.

import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import {
  chatBody,
  model,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import {
  type CannedProvider,
  chunk,
  completion,
  done,
  startCannedProvider,
  streamed,
  whole,
} from "../relay/canned-provider.ts";

/** Counts connections and answers none of them. */
async function startCanary() {
  const heard: string[] = [];
  const server = createServer((socket) => {
    heard.push(String(socket.remotePort));
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    host: `127.0.0.1:${port}`,
    heard,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

let world: TestGateway;
let canned: CannedProvider;
let canary: Awaited<ReturnType<typeof startCanary>>;
let key: string;
const usage = { prompt_tokens: 6, completion_tokens: 1, total_tokens: 7 };
beforeAll(async () => {
  canned = await startCannedProvider();
  canary = await startCanary();
  world = await startTestGateway({ upstreams: [canned.url] });
  await world.given.channel({ key: "operators-key", base_url: canned.url });
  key = (await world.given.token()).key;
  canned.answer = whole(completion("one", usage));
});
afterAll(async () => {
  expect(canary.heard).toEqual([]);
  await world.close();
  await canned.close();
  await canary.close();
});

const ask = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
  readReply(
    await fetch(world.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    }),
  );

test("F-70 nothing in a call decides its destination or its key", { tags: ["F-70"] }, async () => {
  const address = `http://${canary.host}/v1`;
  const members = {
    api_base: address,
    base_url: address,
    api_key: "sk-theirs",
    custom_llm_provider: "openai",
    extra_headers: { authorization: "Bearer sk-theirs", host: canary.host },
    extra_body: { api_base: address },
    default_headers: { "x-api-key": "sk-theirs" },
    proxy: address,
    http_proxy: address,
    webhook: address,
    webhook_url: address,
    callback: address,
    endpoint: address,
    organization: "theirs",
    azure_endpoint: address,
    litellm_params: { api_base: address },
    metadata: { api_base: address },
    fallbacks: [{ model, api_base: address }],
  };
  const headers = {
    "x-base-url": address,
    "x-portkey-custom-host": address,
    "x-portkey-config": JSON.stringify({ custom_host: address }),
    "helicone-target-url": address,
    "x-forwarded-host": canary.host,
    "x-original-url": address,
    "x-rewrite-url": address,
  };
  for (const body of [
    members,
    ...Object.entries(members).map(([name, value]) => ({ [name]: value })),
  ]) {
    canned.requests.length = 0;
    const { status } = await ask("/v1/chat/completions", chatBody(body), headers);
    expect([200, 400]).toContain(status);
    for (const { url, headers: sent } of canned.requests) {
      expect(url).toBe("/v1/chat/completions");
      expect(sent.authorization).toBe("Bearer operators-key");
      expect(sent.host).toBe(new URL(canned.url).host);
      expect(JSON.stringify(sent)).not.toMatch(
        /theirs|portkey|helicone|original|rewrite|forwarded/,
      );
    }
  }
  expect(canary.heard).toEqual([]);
});

test("F-71 the gateway calls no private address unless the operator allows it, whatever a channel says", {
  tags: ["F-71"],
}, async () => {
  const { port } = canary;
  const hosts = [
    "127.0.0.1",
    "localhost",
    "0.0.0.0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "0x7f000001",
    "2130706433",
    "127.1",
  ];
  for (const [n, host] of hosts.entries()) {
    const models = `inside-${n}`;
    const created = await world.given
      .channel({ key: "operators-key", base_url: `http://${host}:${port}`, models })
      .catch((cause: Error) => cause);
    const { status, text } = await world.chat(key, { model: models });
    expect(status).toBeGreaterThanOrEqual(500);
    expect(text).not.toContain(String(port));
    if (!(created instanceof Error)) {
      const tested = await world
        .api("GET", `/api/channel/test/${created.id}?model=${models}`)
        .catch((cause) => cause);
      expect(tested).toBeInstanceOf(Error);
    }
  }
  expect(canary.heard).toEqual([]);
});

test.each([301, 302, 303, 307, 308])(
  "F-73 a redirect with status %i is not followed",
  { tags: ["F-73"] },
  async (status) => {
    await world.given.channel({
      key: "operators-key",
      base_url: canned.url,
      models: `moved-${status}`,
    });
    canned.answer = (response) => {
      const extra = {
        location: `http://${canary.host}/v1/chat/completions`,
        refresh: `0; url=http://${canary.host}`,
      };
      response.writeHead(status, { "content-type": "text/html", ...extra });
      response.end(`<meta http-equiv="refresh" content="0; url=http://${canary.host}/">`);
    };
    for (const stream of [false, true]) {
      const response = await world.send(key, chatBody({ model: `moved-${status}`, stream }));
      const output = await response.text();
      expect(response.status).toBe(502);
      expect(response.headers.get("location")).toBeNull();
      expect(response.headers.get("refresh")).toBeNull();
      expect(output).not.toContain(canary.host);
    }
    canned.answer = whole(completion("one", usage));
    expect(canary.heard).toEqual([]);
  },
);

describe("F-76 addresses inside messages are for the provider to open:", { tags: ["F-76"] }, () => {
  const address = (n: number) => `http://CANARY/${n}.png`;
  const parts = Array.from({ length: 20 }, (_, n) => [
    { type: "image_url", image_url: { url: address(n) } },
    { type: "file", file: { file_url: address(n), filename: "a.pdf" } },
    { type: "input_audio", input_audio: { url: address(n), data: "", format: "wav" } },
    { type: "video_url", video_url: { url: address(n) } },
  ]).flat();
  const tools = [
    { type: "mcp", server_label: "x", server_url: "http://CANARY" },
    { type: "web_search", url: "http://CANARY" },
  ];
  test.each([
    ["OpenAI", 1],
    ["Anthropic", 14],
    ["Gemini", 24],
    ["a compatible server", 50],
  ])("%s", async (name, type) => {
    const models = `pictures-${type}`;
    await world.given.channel({ key: "operators-key", type, base_url: canned.url, models });
    const content = [{ type: "text", text: question }, ...parts];
    const source = { type: "url", url: address(0) };
    const calls: [path: string, body: Record<string, unknown>][] = [
      ["/v1/chat/completions", { messages: [{ role: "user", content }] }],
      ["/v1/chat/completions", { messages: [{ role: "user", content: question }], tools }],
      [
        "/v1/messages",
        { max_tokens: 9, messages: [{ role: "user", content: [{ type: "image", source }] }] },
      ],
      [
        "/v1/messages",
        { max_tokens: 9, messages: [{ role: "user", content: [{ type: "document", source }] }] },
      ],
      [
        "/v1/responses",
        { input: [{ role: "user", content: [{ type: "input_image", image_url: address(0) }] }] },
      ],
      [
        "/v1/responses",
        { input: [{ role: "user", content: [{ type: "input_file", file_url: address(0) }] }] },
      ],
      [
        `/v1beta/models/${models}:generateContent`,
        {
          contents: [
            { role: "user", parts: [{ fileData: { fileUri: address(0), mimeType: "image/png" } }] },
          ],
        },
      ],
    ];
    for (const [path, body] of calls) {
      const reply = await ask(
        path,
        JSON.parse(JSON.stringify({ model: models, ...body }).replaceAll("CANARY", canary.host)),
      );
      // The provider's response does not matter here, only that no other address was called.
      expect(reply.status, `${name} ${path}`).toBeGreaterThanOrEqual(200);
    }
    expect(canary.heard).toEqual([]);
  });
});

test("F-77 addresses that are shown are never fetched, and those that are called follow the policy", {
  tags: ["F-77"],
}, async () => {
  const address = `https://${canary.host}/`;
  const shown = [
    "Logo",
    "HomePageContent",
    "About",
    "ChatLink",
    "TopUpLink",
    "Footer",
    "Notice",
    "ServerAddress",
  ];
  const called = [
    "OidcWellKnown",
    "OidcTokenEndpoint",
    "WeChatServerAddress",
    "MessagePusherAddress",
    "SMTPServer",
  ];
  for (const name of [...shown, ...called])
    await world.api("PUT", "/api/option/", { key: name, value: address }).catch(() => "refused");
  for (const path of [
    "/",
    "/about",
    "/chat",
    "/api/status",
    "/api/notice",
    "/api/about",
    "/api/home_page_content",
    "/api/oauth/state",
    "/api/oauth/oidc?code=x&state=y",
    "/api/oauth/wechat?code=x",
    "/favicon.ico",
  ]) {
    const response = await fetch(world.url + path, { redirect: "manual" });
    await response.text();
    expect(response.status, path).toBeLessThan(500);
  }
  expect(canary.heard).toEqual([]);
});

describe("F-78 a name in the address of a call is one segment of it or refused:", {
  tags: ["F-78"],
}, () => {
  const names = [
    "..",
    "../../x",
    "..\\..\\x",
    "a/../../x",
    "/x",
    "//evil.example/x",
    "x?y=1",
    "x#y",
    "a@evil.example",
    "evil.example:80/",
    "%2e%2e%2fx",
    "%2e%2e",
    "x%00y",
    "x;y=1",
    "x y",
    "https://evil.example/",
  ];
  const places: [name: string, type: number, isIn: (path: string) => boolean][] = [
    ["Gemini", 24, (path) => /^\/v1(beta)?\/models\/[^/?#]+$/.test(path)],
    ["Azure", 3, (path) => /^\/openai\/deployments\/[^/?#]+\/chat\/completions$/.test(path)],
    ["Bedrock", 33, (path) => /^\/model\/[^/?#]+\/converse$/.test(path)],
    ["Replicate", 46, (path) => /^(\/v1\/models)?\/[^/?#]+\/[^/?#]+\/predictions$/.test(path)],
  ];
  test.each(places)("%s", async (place, type, isIn) => {
    const secret = type === 33 ? "access|secret|us-east-1" : "operators-key";
    for (const [n, name] of names.entries()) {
      canned.requests.length = 0;
      const models = `named-${type}-${n}`;
      const created = await world.given
        .channel({
          key: secret,
          type,
          base_url: canned.url,
          models,
          model_mapping: JSON.stringify({ [models]: name }),
        })
        .catch((cause: Error) => cause);
      if (created instanceof Error) continue;
      await world.chat(key, { model: models });
      for (const { url, headers } of canned.requests) {
        const { pathname } = new URL(url, canned.url);
        expect([place, name, isIn(pathname)], pathname).toEqual([place, name, true]);
        expect(headers.host).toBe(new URL(canned.url).host);
      }
    }
    // An ordinary name does arrive: otherwise the checks above would prove nothing.
    canned.requests.length = 0;
    const plain = `plain-${type}`;
    const to = type === 46 ? "owner/name" : "ordinary";
    const model_mapping = JSON.stringify({ [plain]: to });
    await world.given.channel({
      key: secret,
      type,
      base_url: canned.url,
      models: plain,
      model_mapping,
    });
    await world.chat(key, { model: plain });
    expect(canned.requests.map(({ url }) => isIn(new URL(url, canned.url).pathname))).toContain(
      true,
    );
  });
});

test("F-80 only the provider's headers that the response needs reach the client", {
  tags: ["F-80"],
}, async () => {
  const hostile = {
    "set-cookie": "session=theirs",
    location: "https://evil.example/",
    server: "theirs",
    "openai-organization": "org-canary",
    "openai-project": "proj-canary",
    "x-request-id": "req-of-provider",
    "x-ratelimit-remaining-requests": "1",
    "www-authenticate": "Bearer",
    "clear-site-data": '"*"',
    "content-security-policy": "default-src *",
    "access-control-allow-credentials": "true",
    refresh: "0; url=https://evil.example/",
    link: "<https://evil.example/>; rel=preload",
    "alt-svc": 'h3="evil.example:443"',
    "strict-transport-security": "max-age=1",
    via: "theirs",
    "x-api-key": "operators-key",
  };
  const expectClean = (headers: Headers) => {
    const output = [...headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    expect(output).not.toMatch(
      /theirs|canary|evil|operators-key|clear-site|www-auth|set-cookie|alt-svc|ratelimit/,
    );
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    expect(headers.get("x-request-id")).toMatch(/^\d{21}$/);
  };
  for (const status of [200, 400, 401, 429, 500]) {
    canned.answer = (response) => {
      response.writeHead(status, { "content-type": "application/json", ...hostile });
      response.end(
        JSON.stringify(status === 200 ? completion("one", usage) : { error: { message: "no" } }),
      );
    };
    const reply = await ask("/v1/chat/completions", chatBody());
    expectClean(reply.headers);
  }
  canned.answer = async (response) => {
    for (const [name, value] of Object.entries(hostile)) response.setHeader(name, value);
    await streamed(chunk("one"), done)(response);
  };
  await world.given.channel({ key: "operators-key", base_url: canned.url, models: "streaming" });
  const stream = await world.stream(key, { model: "streaming" });
  expect(stream.text).toBe("one");
  expectClean(stream.headers);
});
