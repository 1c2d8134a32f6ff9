// OpenAI's newer models think beside functions in Responses alone: translated calls find it.
import { channelTypeIds } from "@tollgate/contract/catalogue/channel-types.ts";
import { entryOf, parseCall } from "@tollgate/tests/conformance/in-process-relay.ts";
import { describe, expect, test } from "vitest";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import type { RelayCall } from "../formats/api-format.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import { findGeminiFormat } from "../formats/gemini-endpoints.ts";
import { planUpstreamCall } from "./translation-registry.ts";

const schema = { type: "object", properties: {} };
const messages = [{ role: "user", content: "go" }];
const tool = { type: "function", function: { name: "f", parameters: schema } };
const thinking = { type: "adaptive" };
const address = "/v1beta/models/m:generateContent";

const asChat = (more: object): RelayCall =>
  parseCall(chatCompletions, { model: "m", messages, tools: [tool], ...more });
const asMessages = (more: object): RelayCall =>
  parseCall(anthropicMessages, {
    model: "m",
    max_tokens: 9,
    messages,
    tools: [{ name: "f", input_schema: schema }],
    ...more,
  });
const asGemini = (more: object): RelayCall =>
  parseCall(findGeminiFormat(address, address), {
    contents: [{ role: "user", parts: [{ text: "go" }] }],
    tools: [{ functionDeclarations: [{ name: "f" }] }],
    generationConfig: more,
  });

const urls = {
  chat_completions: new URL("https://p.example/v1/chat/completions"),
  response_api: new URL("https://p.example/v1/responses"),
};
const wayOf = (call: RelayCall, model: string, type: number = channelTypeIds.openAi): string =>
  planUpstreamCall(call, urls, model, type).call.upstream.endpoint;

describe.each([channelTypeIds.openAi, channelTypeIds.azure])("at type %i", (type) => {
  test.each([
    ["Messages", asMessages({ thinking: { type: "adaptive" } })],
    ["Messages that says nothing of thinking", asMessages({})],
    ["Gemini", asGemini({ thinkingConfig: { thinkingLevel: "HIGH" } })],
  ])("functions of a client of %s go to Responses", (_, call) => {
    expect(wayOf(call, "gpt-5.6-terra", type)).toBe(entryOf("Responses"));
    expect(wayOf(call, "gpt-6-astra", type)).toBe(entryOf("Responses"));
  });
});

test.each([
  ["of its own client, whose bytes are kept,", asChat({ reasoning_effort: "high" }), "gpt-5.6"],
  ["without functions", asMessages({ tools: undefined, thinking }), "gpt-5.6"],
  ["that shall not think", asMessages({ thinking: { type: "disabled" } }), "gpt-6-luna"],
  ["of GPT-5.4, which does not think unasked", asMessages({}), "gpt-5.4"],
  ["of an older model", asMessages({ thinking }), "gpt-5.2"],
  ["of the model of the chat program", asMessages({}), "gpt-5.6-chat-latest"],
])("a call %s stays with chat completions", (_, call, model) => {
  expect(wayOf(call, model)).toBe(entryOf("Chat Completions"));
});

test("GPT-5.4 that is asked to think goes to Responses, and any model of another server stays", () => {
  expect(wayOf(asMessages({ thinking }), "gpt-5.4")).toBe(entryOf("Responses"));
  expect(wayOf(asMessages({}), "gpt-5.6", channelTypeIds.compatible)).toBe(
    entryOf("Chat Completions"),
  );
});
