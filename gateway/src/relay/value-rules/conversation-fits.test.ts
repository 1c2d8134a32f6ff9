// Conversations that providers refuse: blank texts inside results of tools, turns of many calls.
import { expect, test } from "vitest";
import { type JsonRecord, records } from "../wire/json-parts.ts";
import { applyValueRules } from "./apply-value-rules.ts";
import { removeBlankTexts } from "./conversation-fits.ts";

test("a result keeps its words and loses its blank texts", () => {
  const block = (content: unknown) => ({ type: "tool_result", tool_use_id: "t", content });
  const words = { type: "text", text: "so" };
  const messages = [{ role: "user", content: [block([words, { type: "text", text: " " }])] }];
  expect(removeBlankTexts({ messages })).toEqual({
    messages: [{ role: "user", content: [block([words])] }],
  });
  const spoken = { messages: [{ role: "user", content: [block([words])] }] };
  expect(removeBlankTexts(spoken)).toBe(spoken);
});

const turnOf = (calls: number): JsonRecord[] => {
  const tool_calls = Array.from({ length: calls }, (_, at) => ({
    id: `call_${at}`,
    type: "function",
    function: { name: "f", arguments: "{}" },
  }));
  return [
    { role: "user", content: "go" },
    { role: "assistant", content: "So.", reasoning_content: "hm", tool_calls },
    ...tool_calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: id })),
    { role: "user", content: "on" },
  ];
};

test("a turn of 300 calls is three turns for OpenAI, each with its results, and one elsewhere", () => {
  const body = { messages: turnOf(300) };
  const sent = (model: string): JsonRecord[] =>
    records(applyValueRules(body, "chat_completions", model).body.messages);
  const messages = sent("gpt-4o");
  const turns = messages.filter(({ role }) => role === "assistant");
  expect(turns.map(({ tool_calls }) => records(tool_calls).length)).toEqual([128, 128, 44]);
  expect(turns.map(({ content, reasoning_content }) => [content, reasoning_content])).toEqual([
    ["So.", "hm"],
    [null, undefined],
    [null, undefined],
  ]);
  for (const [at, message] of messages.entries()) {
    const ids = records(message.tool_calls).map(({ id }) => id);
    const behind = messages.slice(at + 1, at + 1 + ids.length);
    expect(behind.map(({ tool_call_id }) => tool_call_id)).toEqual(ids);
  }
  expect(messages.at(-1)).toEqual({ role: "user", content: "on" });
  expect(sent("some-model")).toEqual(body.messages);
});

test("a result that names no call answers the oldest one that has none", () => {
  const [user = {}, turn = {}, first = {}] = turnOf(2);
  const body = {
    messages: [user, turn, { role: "tool", content: "one" }, { role: "tool", content: "two" }],
  };
  expect(applyValueRules(body, "chat_completions", "gpt-4o").body.messages).toEqual([
    user,
    turn,
    { ...first, content: "one" },
    { role: "tool", tool_call_id: "call_1", content: "two" },
  ]);
});

test("Mistral reads a turn of the model between results and the user", () => {
  const body = { messages: turnOf(1) };
  const sent = applyValueRules(body, "chat_completions", "mistral-large-2512").body.messages;
  expect(records(sent).map(({ role }) => role)).toEqual([
    ...["user", "assistant", "tool", "assistant", "user"],
  ]);
  expect(applyValueRules(body, "chat_completions", "some-model").body).toBe(body);
});

test("a turn of 128 calls stays as it is", () => {
  const body = { messages: turnOf(128) };
  expect(applyValueRules(body, "chat_completions", "gpt-4o").body).toBe(body);
});

const calls = (...ids: string[]): JsonRecord => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "f", arguments: "{}" } })),
});
const result = (tool_call_id: string, content: string): JsonRecord => ({
  role: "tool",
  tool_call_id,
  content,
});

test("two calls of a turn by one id are two for chat completions, with their results", () => {
  const sent = (messages: readonly JsonRecord[]) =>
    applyValueRules({ messages }, "chat_completions", "m").body.messages;
  const again = [calls("a"), result("a", "three")];
  expect(sent([calls("a", "a"), result("a", "one"), result("a", "two"), ...again])).toEqual([
    calls("a", "a_2"),
    result("a", "one"),
    result("a_2", "two"),
    ...again,
  ]);
});

test("an id that comes again is another one for Responses, in whatever turn", () => {
  const call = (call_id: string) => ({
    type: "function_call",
    call_id,
    name: "f",
    arguments: "{}",
  });
  const output = (call_id: string, said: string) => ({
    type: "function_call_output",
    call_id,
    output: said,
  });
  const input = [call("a"), output("a", "one"), call("a"), output("a", "two")];
  expect(applyValueRules({ input }, "response_api", "m").body.input).toEqual([
    call("a"),
    output("a", "one"),
    call("a_2"),
    output("a_2", "two"),
  ]);
});

test.each([
  ["chat_completions", { messages: [calls(""), result("", "so")] }],
  ["response_api", { input: [{ type: "function_call", call_id: "", name: "f", arguments: "{}" }] }],
] as const)("a call without an id has one for %s", (api, body) => {
  const sent = JSON.stringify(applyValueRules(body, api, "m").body);
  expect(sent).not.toMatch(/"(?:id|tool_call_id|call_id)":""/);
  expect(new Set(sent.match(/call_[0-9a-f]{32}/g)).size).toBe(1);
});

test.each([
  ["chat_completions", "messages"],
  ["response_api", "input"],
] as const)("a conversation of nothing has a turn for %s", (api, member) => {
  expect(applyValueRules({ [member]: [] }, api, "m").body[member]).toMatchObject([
    { role: "user", content: "(no content)" },
  ]);
});
