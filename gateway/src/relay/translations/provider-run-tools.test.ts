import { callOf, planOver, translated } from "@tollgate/tests/conformance/in-process-relay.ts";
import { describe, expect, test } from "vitest";
import type { ReplyTranslator } from "./translation.ts";

const event = (data: { type: string }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

function messagesStream(
  blocks: readonly { block: object; deltas?: readonly object[] }[],
): string[] {
  const usage = { input_tokens: 5, output_tokens: 1 };
  return [
    {
      type: "message_start",
      message: { id: "msg_1", type: "message", role: "assistant", content: [], usage },
    },
    ...blocks.flatMap(({ block, deltas = [] }, index) => [
      { type: "content_block_start", index, content_block: block },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ].map(event);
}
const written = (partial_json: string) => [{ type: "input_json_delta", partial_json }];

const hostedAndOwn = messagesStream([
  {
    block: { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} },
    deltas: written('{"query":"w"}'),
  },
  { block: { type: "web_search_tool_result", tool_use_id: "srv_1", content: [] } },
  {
    block: { type: "mcp_tool_use", id: "mcp_1", name: "echo", server_name: "s", input: {} },
    deltas: written('{"e":1}'),
  },
  {
    block: { type: "tool_use", id: "own_1", name: "get_weather", input: {} },
    deltas: written('{"location":"Oslo"}'),
  },
  { block: { type: "tool_use", id: "own_2", name: "stop", input: {} } },
]);

const clients = ["Chat Completions", "Responses", "Gemini"] as const;

test.each(clients)(
  "a client of %s sees its own tools called, and none that the provider runs",
  (client) => {
    const stream = translated(callOf(client), "claude_messages", hostedAndOwn);
    expect(stream).toContain("get_weather");
    expect(stream).toContain("Oslo");
    expect(stream).toContain("stop");
    for (const hosted of ["query", "web_search", "echo", "srv_1", "mcp_1", '"index":-1'])
      expect(stream).not.toContain(hosted);
  },
);

test("a call without arguments has an empty object, which clients can parse", () => {
  const stream = translated(callOf("Chat Completions"), "claude_messages", hostedAndOwn);
  expect(stream).toContain('{"index":1,"function":{"arguments":"{}"}}');
});

const item = (more: object) => ({
  type: "custom_tool_call",
  id: "ct_1",
  status: "completed",
  ...more,
});
const hosted = item({ call_id: "xs_call_1", name: "x_keyword_search", input: '{"query":"w"}' });
const own = item({ call_id: "call_1", name: "write_sql", input: 'SELECT "a"' });
const answer = {
  type: "message",
  id: "m",
  role: "assistant",
  content: [{ type: "output_text", text: "so" }],
};
const response = {
  id: "resp_1",
  object: "response",
  status: "completed",
  output: [hosted, own, answer],
  usage: { input_tokens: 5, output_tokens: 9, total_tokens: 14 },
};
const responsesStream = [
  { type: "response.created", response: { ...response, output: [] } },
  ...[hosted, own].flatMap((one, output_index) => [
    { type: "response.output_item.added", output_index, item: { ...one, input: "" } },
    { type: "response.custom_tool_call_input.delta", output_index, delta: "SELECT " },
    {
      type: "response.custom_tool_call_input.done",
      output_index,
      input: (one as { input?: string }).input,
    },
    { type: "response.output_item.done", output_index, item: one },
  ]),
  { type: "response.completed", response },
].map(event);

describe.each(["Chat Completions", "Messages", "Gemini"] as const)(
  "a client of %s over Responses",
  (client) => {
    function translatorOf(): ReplyTranslator {
      const { translator } = planOver(callOf(client), "response_api");
      if (!translator) throw new Error("there is nothing to translate");
      return translator;
    }
    test.each([
      ["whole", () => JSON.stringify(translatorOf().translateReply(response))],
      ["streamed", () => translated(callOf(client), "response_api", responsesStream)],
    ])("sees a custom tool by its name and no search of the provider, %s", (_, answered) => {
      const reply = answered();
      expect(reply).toContain("write_sql");
      expect(reply).toContain("SELECT ");
      for (const leak of ["x_keyword_search", "xs_call_1", "query"])
        expect(reply).not.toContain(leak);
    });
  },
);

test("a Messages client reads the input of a custom tool as the argument `input`", () => {
  const { translator } = planOver(callOf("Messages"), "response_api");
  expect(translator?.translateReply(response)).toMatchObject({
    content: [
      { type: "text", text: "so" },
      { type: "tool_use", id: "call_1", name: "write_sql", input: { input: 'SELECT "a"' } },
    ],
  });
});

const cutOff = {
  id: "c",
  object: "chat.completion",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: "so",
        tool_calls: [
          { id: "a", type: "function", function: { name: "whole", arguments: '{"a":1}' } },
          {
            id: "b",
            type: "function",
            function: { name: "delete_files", arguments: '{"folder":"/tm' },
          },
        ],
      },
      finish_reason: "length",
    },
  ],
};

test.each(["Messages", "Gemini"] as const)(
  "a client of %s is not told to run a call that was cut off",
  (client) => {
    const { translator } = planOver(callOf(client), "chat_completions");
    const reply = JSON.stringify(translator?.translateReply(cutOff));
    expect(reply).toContain("whole");
    expect(reply).not.toContain("delete_files");
  },
);
