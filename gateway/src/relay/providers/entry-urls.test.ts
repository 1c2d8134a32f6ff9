import { channelTypes } from "@tollgate/contract/channel-types.ts";
import { expect, test } from "vitest";
import { entryUrls } from "./entry-urls.ts";

function urlsOf(id: number, base?: string): Record<string, string> {
  const type = channelTypes.find((one) => one.id === id);
  if (!type) throw new Error(`there is no type ${id}`);
  const urls = entryUrls(type, base ?? type.defaultBaseUrl);
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
