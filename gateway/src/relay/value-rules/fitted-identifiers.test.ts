import { translatedBody } from "@tollgate/tests/support/translate-request.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ApiEndpoint } from "../formats/api-format.ts";
import { chatToConverse } from "../translations/chat-to-converse.ts";
import { chatToMessages } from "../translations/chat-to-messages.ts";
import { chatToResponses } from "../translations/chat-to-responses.ts";
import { messagesToChat } from "../translations/messages-to-chat.ts";
import { type JsonRecord, record, records } from "../wire/json-parts.ts";
import { applyValueRules } from "./apply-value-rules.ts";

const claudeUser = `user_${"a".repeat(64)}_account_11111111-2222-3333-4444-555555555555_session_66666666-7777-8888-9999-000000000000`;

test("the user of Claude Code fits OpenAI's 64 characters, the same in each turn", () => {
  const asked = (user_id: string): JsonRecord =>
    translatedBody(messagesToChat, { model: "m", messages: [], metadata: { user_id } }, "m");
  expect(asked(claudeUser).user).toMatch(/^[0-9a-f]{64}$/);
  expect(asked(claudeUser).user).toBe(asked(claudeUser).user);
  expect(asked(`${claudeUser}1`).user).not.toBe(asked(claudeUser).user);
  expect(asked("me").user).toBe("me");
});

const conversation = (id: string): JsonRecord[] => [
  { role: "user", content: "go" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "f", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: id, content: "so" },
];

test("ids of calls fit the provider's pattern, and their results name the same", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 300 }), (id) => {
      const sent = translatedBody(chatToMessages, { model: "m", messages: conversation(id) }, "m");
      const blocks = records(sent.messages).flatMap(({ content }) => records(content));
      const [call] = blocks.filter(({ type }) => type === "tool_use");
      const [result] = blocks.filter(({ type }) => type === "tool_result");
      expect(call?.id).toMatch(/^[\w-]{1,256}$/);
      expect(result?.tool_use_id).toBe(call?.id);
      const items = records(
        translatedBody(chatToResponses, { model: "m", messages: conversation(id) }, "m").input,
      );
      const ids = items.flatMap(({ call_id }) => (call_id === undefined ? [] : [String(call_id)]));
      expect(new Set(ids).size).toBe(1);
      expect(ids[0]?.length).toBeLessThanOrEqual(64);
    }),
  );
});

const fitted = (body: JsonRecord, api: ApiEndpoint): JsonRecord =>
  applyValueRules(body, api, "m").body;

test("what fits, and every other member, stays as it is", () => {
  const body = { model: "m", user: "u", messages: conversation("call_1"), temperature: 1 };
  expect(fitted(body, "chat_completions")).toEqual(body);
  const odd = { messages: "none", user: 7, input: null, metadata: [] };
  for (const api of [
    "chat_completions",
    "response_api",
    "claude_messages",
    "gemini",
    "bedrock_converse",
  ] as const)
    expect(fitted(odd, api)).toEqual(odd);
});

const turn = (id: string, said: string): JsonRecord[] => [
  { role: "user", content: said },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "f", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: id, content: said },
];

test.each([
  ["Messages", chatToMessages, "claude-sonnet-4-5"],
  ["Converse", chatToConverse, "us.anthropic.claude-sonnet-4-5-v1:0"],
])("each call in %s has an id of its own, and its result the same", (_, translation, model) => {
  const idsOf = (...messages: JsonRecord[]): unknown[][] => {
    const body = translatedBody(translation, { model, messages }, model);
    const blocks = records(body.messages).flatMap(({ content }) => records(content));
    return [
      blocks.map(({ id, toolUse }) => id ?? record(toolUse).toolUseId).filter(Boolean),
      blocks
        .map(({ tool_use_id, toolResult }) => tool_use_id ?? record(toolResult).toolUseId)
        .filter(Boolean),
    ];
  };
  const repeated = [...turn("call_1", "a"), ...turn("call_1", "b"), ...turn("call_1", "c")];
  const wanted = ["call_1", "call_1_2", "call_1_3"];
  expect(idsOf(...repeated)).toEqual([wanted, wanted]);
  expect(idsOf(...repeated.slice(0, 6))).toEqual([wanted.slice(0, 2), wanted.slice(0, 2)]);
  const met = [...turn("x", "a"), ...turn("x_2", "b"), ...turn("x", "c")];
  expect(idsOf(...met)).toEqual([
    ["x", "x_2", "x_3"],
    ["x", "x_2", "x_3"],
  ]);
});

test("a long id of a call in chat completions is shortened to 40 characters", () => {
  const { messages } = fitted({ messages: conversation("x".repeat(41)) }, "chat_completions");
  const [, called, result] = records(messages);
  const [call] = records(record(called).tool_calls);
  expect(String(call?.id).length).toBeLessThanOrEqual(40);
  expect(result?.tool_call_id).toBe(call?.id);
});

test("Mistral gets nine letters and digits, the same for a call and its result", () => {
  const sent = applyValueRules(
    { messages: conversation("call_1") },
    "chat_completions",
    "mistral-large",
  ).body;
  const [, called, result] = records(sent.messages);
  expect(records(record(called).tool_calls)[0]?.id).toMatch(/^[a-zA-Z0-9]{9}$/);
  expect(result?.tool_call_id).toBe(records(record(called).tool_calls)[0]?.id);
});

test("a number beyond its range is the nearest end of it, however far it is", () => {
  const sent = (temperature: number): unknown =>
    applyValueRules({ temperature }, "claude_messages", "claude-sonnet-4-5").body.temperature;
  expect([Number.POSITIVE_INFINITY, 3, 0.5, -1].map(sent)).toEqual([1, 1, 0.5, 0]);
});
