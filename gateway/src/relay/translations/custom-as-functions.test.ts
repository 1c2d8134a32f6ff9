import { droppedFields, translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { expect, test } from "vitest";
import type { RelayCall } from "../formats/api-format.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import { type JsonRecord, record, records } from "../wire/json-parts.ts";
import { chatToMessages } from "./chat-to-messages.ts";
import { addCustomTools } from "./custom-as-functions.ts";

const overMessages = addCustomTools(chatToMessages);
const format = { type: "grammar", grammar: { syntax: "lark", definition: "start: /.+/" } };
const asked: JsonRecord = {
  model: "m",
  messages: [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "custom", custom: { name: "patch", input: "x" } }],
    },
    { role: "tool", tool_call_id: "a", content: "done" },
  ],
  tools: [
    { type: "custom", custom: { name: "patch", description: "Edits.", format } },
    { type: "function", function: { name: "f" } },
  ],
  tool_choice: { type: "custom", custom: { name: "patch" } },
};
const call: RelayCall = {
  ...chatCompletions.parseRequest(asked, false),
  client: chatCompletions,
  upstream: chatCompletions.upstream,
  headers: [],
  body: Buffer.from(JSON.stringify(asked)),
};

test("a custom tool, its calls and its choice are those of a function", () => {
  expect(translatedBody(overMessages, asked, "m")).toMatchObject({
    messages: [
      { role: "user" },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "a", name: "patch", input: { input: "x" } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] },
    ],
    tools: [
      {
        name: "patch",
        description: "Edits.\n\nThe input is plain text of this lark grammar:\nstart: /.+/",
        input_schema: { properties: { input: { type: "string" } }, required: ["input"] },
      },
      { name: "f" },
    ],
    tool_choice: { type: "tool", name: "patch" },
  });
  expect(droppedFields(overMessages, asked, "m")).toEqual([]);
});

test("calls come back as those of the custom tool, whole and streamed", () => {
  const used = (id: string, name: string, input: JsonRecord): JsonRecord => ({
    type: "tool_use",
    id,
    name,
    input,
  });
  const content = [used("a", "patch", { input: "*** x" }), used("b", "f", { n: 1 })];
  const whole = overMessages.createReplyTranslator(call).translateReply({
    id: "msg_1",
    content,
    stop_reason: "tool_use",
    usage: { input_tokens: 1, output_tokens: 1 },
  });
  const [{ message } = {}] = records(record(whole).choices);
  const calls = [
    { id: "a", type: "custom", custom: { name: "patch", input: "*** x" } },
    { id: "b", type: "function", function: { name: "f", arguments: '{"n":1}' } },
  ];
  expect(record(message).tool_calls).toEqual(calls);

  const translator = overMessages.createReplyTranslator({ ...call, isStream: true });
  const block = (index: number, id: string, name: string, json: string): JsonRecord[] => [
    {
      type: "content_block_start",
      index,
      content_block: { type: "tool_use", id, name, input: {} },
    },
    ...[json.slice(0, 5), json.slice(5)].map((partial_json) => ({
      type: "content_block_delta",
      index,
      delta: { type: "input_json_delta", partial_json },
    })),
    { type: "content_block_stop", index },
  ];
  const events: JsonRecord[] = [
    {
      type: "message_start",
      message: { id: "msg_1", usage: { input_tokens: 1, output_tokens: 1 } },
    },
    ...block(0, "a", "patch", '{"input":"*** x"}'),
    ...block(1, "b", "f", '{"n":1}'),
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ];
  const streamed =
    events
      .map((data) => translator.translateEvent(`event: x\ndata: ${JSON.stringify(data)}\n\n`))
      .join("") + translator.finish();
  const chunks = streamed
    .split("\n\n")
    .filter((event) => event.startsWith("data: {"))
    .map((event) => records(record(JSON.parse(event.slice(6)) as unknown).choices)[0] ?? {});
  const pieces = chunks.flatMap(({ delta }) => records(record(delta).tool_calls));
  const joined = (index: number, kind: string, member: string): string =>
    pieces
      .filter((piece) => piece.index === index)
      .map((piece) => record(piece[kind])[member] ?? "")
      .join("");
  expect(pieces.find(({ id }) => id === "a")).toMatchObject({
    index: 0,
    type: "custom",
    custom: { name: "patch" },
  });
  expect(joined(0, "custom", "input")).toBe("*** x");
  expect(joined(0, "function", "arguments")).toBe("");
  expect(joined(1, "function", "arguments")).toBe('{"n":1}');
  const last = chunks.findLastIndex(({ delta }) => records(record(delta).tool_calls).length > 0);
  expect(chunks.slice(last).some(({ finish_reason }) => finish_reason === "tool_calls")).toBe(true);
});

test("a request without custom tools takes no further step", () => {
  const plain = {
    ...asked,
    messages: [{ role: "user", content: "go" }],
    tools: [],
    tool_choice: "auto",
  };
  const body = Buffer.from(JSON.stringify(plain));
  const translator = overMessages.createReplyTranslator({ ...call, body });
  expect(translator.constructor).toBe(
    chatToMessages.createReplyTranslator({ ...call, body }).constructor,
  );
});
