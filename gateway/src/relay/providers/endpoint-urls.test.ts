import { channelTypes } from "@tollgate/contract/catalogue/channel-types.ts";
import { settingsOf } from "@tollgate/tests/support/provider-adapter.ts";
import { expect, test } from "vitest";
import type { JsonRecord } from "../wire/json-parts.ts";
import { buildProvider } from "./provider-registry.ts";

interface StatedSettings {
  config?: JsonRecord;
  other?: string;
  model?: string;
}

function urlsOf(
  id: number,
  base?: string,
  { config = {}, other = "", model = "m" }: StatedSettings = {},
): Record<string, string> {
  const settings = settingsOf(id, base, config, other);
  const urls = buildProvider(settings.type).endpoints(settings, model);
  return Object.fromEntries(Object.entries(urls).map(([entry, url]) => [entry, String(url)]));
}

test.each([
  [1, "https://api.openai.com", "https://api.openai.com/v1"],
  [1, "https://proxy.example/openai/", "https://proxy.example/openai/v1"],
  [50, "https://own.example/v1", "https://own.example/v1"],
  [
    51,
    "https://generativelanguage.googleapis.com/v1beta/openai/",
    "https://generativelanguage.googleapis.com/v1beta/openai",
  ],
  [40, "https://ark.example", "https://ark.example/api/v3"],
  [49, "https://dashscope.example", "https://dashscope.example/compatible-mode/v1"],
])("type %i at %s keeps its interfaces below %s", (id, base, version) => {
  expect(urlsOf(id, base)).toMatchObject({
    chat_completions: `${version}/chat/completions`,
    embeddings: `${version}/embeddings`,
  });
});

test("OpenAI itself speaks the newer interface, strangers are not assumed to", () => {
  expect(urlsOf(1).response_api).toBe("https://api.openai.com/v1/responses");
  expect(urlsOf(50, "https://own.example").response_api).toBeUndefined();
});

test.each(["https://api.anthropic.com", "https://api.anthropic.com/v1/"])(
  "Anthropic at %s speaks messages alone",
  (base) => {
    expect(urlsOf(14, base)).toEqual({ claude_messages: "https://api.anthropic.com/v1/messages" });
  },
);

test.each([
  ["https://generativelanguage.googleapis.com", "v1beta"],
  ["https://generativelanguage.googleapis.com/v1/", "v1"],
])("Gemini at %s keeps its models below %s", (base, version) => {
  const models = `https://generativelanguage.googleapis.com/${version}/models`;
  expect(urlsOf(24, base)).toEqual({ gemini: models, gemini_embeddings: models });
});

test("an address that is none gives none", () => {
  expect(urlsOf(50, "not an address")).toEqual({});
});

const azure = "https://mine.openai.azure.example";
test.each([
  ["gpt-4o", {}, "", "/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21"],
  [
    "gpt-4o",
    { api_version: "v" },
    "o",
    "/openai/deployments/gpt-4o/chat/completions?api-version=v",
  ],
  [
    "gpt-4o",
    {},
    "2024-06-01",
    "/openai/deployments/gpt-4o/chat/completions?api-version=2024-06-01",
  ],
  [
    "o3-mini",
    { api_version: "v" },
    "",
    "/openai/deployments/o3-mini/chat/completions?api-version=2025-04-01-preview",
  ],
])("Azure keeps %s with %j and %j below its deployment", (model, config, other, path) => {
  expect(urlsOf(3, azure, { config, other, model })).toMatchObject({
    chat_completions: azure + path,
    response_api: `${azure}/openai/v1/responses?api-version=v1`,
    realtime: `${azure}/openai/v1/realtime`,
  });
});

test("Azure serves Claude by Anthropic's interface alone", () => {
  expect(urlsOf(3, azure, { model: "claude-sonnet-4-5" })).toEqual({
    claude_messages: `${azure}/anthropic/v1/messages`,
  });
});

test.each([
  [16, "https://open.bigmodel.cn/api/paas/v4/chat/completions"],
  [17, "https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions"],
  [18, "https://spark-api-open.xf-yun.com/v1/chat/completions"],
  [30, "http://localhost:11434/v1/chat/completions"],
  [35, "https://api.cohere.ai/compatibility/v1/chat/completions"],
  [53, "https://api.githubcopilot.com/chat/completions"],
  [57, "https://api.deepinfra.com/v1/openai/chat/completions"],
])("type %i has chat completions at %s", (id, url) => {
  expect(urlsOf(id).chat_completions).toBe(url);
});

test("Cohere keeps reranking apart", () => {
  expect(urlsOf(35).rerank).toBe("https://api.cohere.ai/v2/rerank");
});

test("Cloudflare needs the account", () => {
  expect(urlsOf(37)).toEqual({});
  expect(urlsOf(37, undefined, { config: { user_id: "a/b" } })).toEqual({
    chat_completions: "https://api.cloudflare.com/client/v4/accounts/a%2Fb/ai/v1/chat/completions",
    embeddings: "https://api.cloudflare.com/client/v4/accounts/a%2Fb/ai/v1/embeddings",
  });
});

test.each([
  "gpt-5-codex",
  "gpt-5.1-codex-max",
  "gpt-5-pro",
  "gpt-6-pro",
  "gpt-6.2-codex",
  "o3-pro",
  "o4-mini-deep-research",
  "codex-mini-latest",
])("%s has the newer interface alone, at OpenAI and at Azure", (model) => {
  for (const urls of [urlsOf(1, undefined, { model }), urlsOf(3, azure, { model })]) {
    expect(urls.response_api).toContain("/responses");
    expect(urls.chat_completions).toBeUndefined();
  }
  // Another provider's model may have the same name.
  expect(urlsOf(50, "https://own.example", { model }).chat_completions).toBeDefined();
});
test.each(["gpt-5", "gpt-5.1-chat-latest", "gpt-6.2-sol", "o3", "o4-mini"])(
  "%s has both",
  (model) => {
    expect(urlsOf(1, undefined, { model })).toHaveProperty("chat_completions");
    expect(urlsOf(1, undefined, { model })).toHaveProperty("response_api");
  },
);

test("a channel says what its provider serves, and where, at its own host", () => {
  const own = "https://own.example/v1";
  const supported_endpoints = ["chat_completions", "claude_messages", "no such thing"];
  expect(urlsOf(50, own, { config: { supported_endpoints } })).toEqual({
    chat_completions: `${own}/chat/completions`,
    claude_messages: `${own}/messages`,
  });
  const asResponses = urlsOf(50, own, { config: { api_format: "response" } });
  expect(asResponses).toMatchObject({ response_api: `${own}/responses` });
  expect(asResponses.chat_completions).toBeUndefined();
  const endpoint_urls = {
    rerank: "https://own.example/elsewhere",
    embeddings: "https://thief.example/",
    completions: 7,
  };
  expect(urlsOf(50, own, { config: { endpoint_urls } })).toMatchObject({
    rerank: "https://own.example/elsewhere",
    embeddings: `${own}/embeddings`,
    completions: `${own}/completions`,
  });
});

test.each(channelTypes.filter(({ gone }) => !gone).map(({ id, name }) => [id, name]))(
  "type %i, %s, answers nothing that is no address",
  (id) => {
    for (const url of Object.values(urlsOf(id, "not an address")))
      expect(URL.canParse(url)).toBe(true);
  },
);
