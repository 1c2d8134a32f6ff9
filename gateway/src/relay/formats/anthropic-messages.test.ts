import { describe, expect, test } from "vitest";
import { anthropicMessages } from "./anthropic-messages.ts";
import type { RelayCall } from "./api-format.ts";

const asked = (json: object): RelayCall => ({
  ...anthropicMessages.parseRequest(json, false),
  client: anthropicMessages,
  upstream: anthropicMessages.upstream,
  headers: [],
  body: Buffer.from(JSON.stringify(json)),
});
const call = asked({
  model: "claude",
  max_tokens: 50,
  messages: [{ role: "user", content: "Hello" }],
});
const event = (data: { type: string; [more: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

const stream = [
  {
    type: "message_start",
    message: {
      model: "claude",
      usage: { input_tokens: 7, cache_read_input_tokens: 20, output_tokens: 1 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hm" } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2ln" } },
  { type: "ping" },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "word" } },
  {
    type: "content_block_delta",
    index: 2,
    delta: { type: "input_json_delta", partial_json: '{"a"' },
  },
  { type: "content_block_stop", index: 2 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];

describe("a stream of messages", () => {
  test("reports the content of each event", () => {
    const read = anthropicMessages.upstream.createEventReader(call);
    const facts = stream.map((data) => read(event(data)));
    expect(facts.map(({ kind, textBytes }) => [kind, textBytes])).toEqual([
      ["other", 0],
      ["other", 0],
      ["content", 2],
      ["other", 0],
      ["other", 0],
      ["content", 4],
      ["content", 4],
      ["other", 0],
      ["other", 0],
      ["done", 0],
    ]);
  });
  test("counts the prompt from its first event and the output from its last", () => {
    const read = anthropicMessages.upstream.createEventReader(call);
    const usages = stream.flatMap((data) => read(event(data)).usage ?? []);
    expect(usages.map(({ usage }) => usage)).toEqual([
      { input: 7, cache_read: 20, cache_write_5m: 0, cache_write_1h: 0, output: 0 },
      { input: 7, cache_read: 20, cache_write_5m: 0, cache_write_1h: 0, output: 9 },
    ]);
  });
  test("two streams do not share their counts", () => {
    anthropicMessages.upstream.createEventReader(call)(event(stream[0] ?? { type: "ping" }));
    const late = anthropicMessages.upstream.createEventReader(call)(
      event({ type: "message_delta", usage: { output_tokens: 9 } }),
    );
    expect(late.usage?.usage.input).toBe(0);
  });
  test("with an error is an error", () => {
    const error = { type: "overloaded_error", message: "busy" };
    expect(
      anthropicMessages.upstream.createEventReader(call)(event({ type: "error", error })),
    ).toMatchObject({
      kind: "error",
      error,
    });
  });
  test.each(["data: {broken\n\n", "data: [1]\n\n"])("%j is malformed", (text) => {
    expect(anthropicMessages.upstream.createEventReader(call)(text).kind).toBe("malformed");
  });
});

describe("a whole reply", () => {
  test("is read with thinking and tool input", () => {
    const content = [
      { type: "thinking", thinking: "hm", signature: "c2ln" },
      { type: "text", text: "word" },
      { type: "tool_use", input: { a: 1 } },
    ];
    const facts = anthropicMessages.upstream.readReply({
      type: "message",
      content,
      usage: { input_tokens: 3, output_tokens: 4 },
    });
    expect(facts).toMatchObject({
      text: 'hmword{"a":1}',
      usage: { usage: { input: 3, output: 4 } },
    });
  });
  test("of another format is rejected", () => {
    expect(anthropicMessages.upstream.readReply({ choices: [] })).toBeUndefined();
    // Two or three tokens are Claude's silence; without them, or with more, the answer is missing.
    const empty = (output_tokens: number, stop_reason = "end_turn") =>
      anthropicMessages.upstream.readReply({
        ...{ type: "message", content: [], stop_reason },
        usage: { input_tokens: 3, output_tokens },
      });
    expect([empty(0), empty(9)]).toEqual([undefined, undefined]);
    expect([empty(2), empty(0, "refusal")]).toMatchObject([{ text: "" }, { text: "" }]);
  });
});

describe("a call", () => {
  test("passes unchanged, except the model and the channel's system prompt", () => {
    expect(anthropicMessages.upstream.writeBody(call, "claude", null)).toBe(call.body);
    const changed = JSON.parse(
      String(anthropicMessages.upstream.writeBody(call, "other", "Be brief.")),
    );
    expect(changed).toEqual({
      ...JSON.parse(String(call.body)),
      model: "other",
      system: "Be brief.",
    });
  });
  test("without messages is refused with a message", () => {
    expect(() => asked({ model: "claude" })).toThrow(/messages/);
  });
});

test("errors have Anthropic's format", () => {
  const refusal = {
    status: 403,
    type: "insufficient_quota",
    code: "insufficient_user_quota",
    message: "No",
  };
  expect(JSON.parse(anthropicMessages.errorFormat.errorBody(refusal, "42"))).toEqual({
    type: "error",
    error: {
      type: "permission_error",
      message: "No (request id: 42)",
      code: "insufficient_user_quota",
    },
    request_id: "42",
  });
  expect(anthropicMessages.errorFormat.streamError(refusal, "42")).toMatch(
    /^event: error\ndata: \{.*\}\n\n$/,
  );
});

test("the end of a stream is no reason to end: without words it is no answer", () => {
  const read = anthropicMessages.upstream.createEventReader(call);
  expect(read(event({ type: "message_stop" }))).toMatchObject({ kind: "done", badEnd: "empty" });
  const told = read(event({ type: "message_delta", delta: { stop_reason: "end_turn" } }));
  expect([told.isLast, told.badEnd]).toEqual([true, undefined]);
});
