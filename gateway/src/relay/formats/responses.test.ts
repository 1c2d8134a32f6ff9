import { describe, expect, test } from "vitest";
import type { RelayCall } from "./api-format.ts";
import { responses } from "./responses.ts";

const json = { model: "gpt-5", input: [{ role: "user", content: "Hello" }], max_output_tokens: 50 };
const call: RelayCall = {
  ...responses.parseRequest(json, false),
  client: responses,
  upstream: responses.upstream,
  headers: [],
  body: Buffer.from(JSON.stringify(json)),
};
const usage = {
  input_tokens: 30,
  input_tokens_details: { cached_tokens: 10 },
  output_tokens: 8,
  output_tokens_details: { reasoning_tokens: 5 },
};
const event = (data: { type: string; [more: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

describe("a stream of a response", () => {
  test.each([
    [{ type: "response.created", response: { usage: null } }, "other", 0],
    [{ type: "response.output_text.delta", delta: "word" }, "content", 4],
    [{ type: "response.reasoning_summary_text.delta", delta: "hm" }, "content", 2],
    [{ type: "response.function_call_arguments.delta", delta: '{"a"' }, "content", 4],
    [{ type: "response.output_text.done", text: "word" }, "other", 0],
    [{ type: "error", message: "no" }, "error", 0],
    [{ type: "response.failed", response: { error: { message: "no" } } }, "error", 0],
  ])("%j is read correctly", (data, kind, textBytes) => {
    expect(responses.upstream.createEventReader(call)(event(data))).toMatchObject({ kind, textBytes });
  });
  test.each(["response.completed", "response.incomplete"])("ends with %s, which carries the usage", (type) => {
    expect(responses.upstream.createEventReader(call)(event({ type, response: { usage } }))).toMatchObject({
      kind: "done",
      textBytes: 0,
      isLast: true,
      usage: {
        usage: { input: 20, cache_read: 10, cache_write_5m: 0, cache_write_1h: 0, output: 8 },
        hiddenOutput: 5,
        isCorrected: false,
      },
    });
  });
  test("xAI's searches of X and of the web are charged together, in whole replies and as they are streamed", () => {
    const output = ["x_search_call", "web_search_call", "x_search_call"].map((type) => ({ type, status: "completed" }));
    const reply = { object: "response", status: "completed", output, usage };
    expect(responses.upstream.readReply(reply)?.usage?.usage).toMatchObject({ web_searches: 3 });
    const [item] = output;
    expect(
      responses.upstream.createEventReader(call)(event({ type: "response.output_item.done", item })),
    ).toMatchObject({ kind: "content", extras: { web_searches: 1 } });
  });
  test("malformed data is reported", () => {
    expect(
      responses.upstream.createEventReader(call)('data: {"type":"response.completed","response":{]}}\n\n').kind,
    ).toBe("malformed");
  });
});

test("a whole reply is read with its tool calls", () => {
  const output = [
    { type: "message", content: [{ type: "output_text", text: "word" }] },
    { type: "function_call", arguments: '{"a":1}' },
  ];
  expect(responses.upstream.readReply({ object: "response", output, usage })).toMatchObject({
    text: 'word{"a":1}',
    usage: { usage: { input: 20, cache_read: 10, output: 8 } },
  });
  expect(responses.upstream.readReply({ object: "list", data: [] })).toBeUndefined();
});

test("a background reply is refused, because it cannot be billed", () => {
  expect(() => responses.parseRequest({ ...json, background: true }, false)).toThrow(/background/);
});

test("the body changes only where it must", () => {
  expect(responses.upstream.writeBody(call, "gpt-5", null)).toBe(call.body);
  const changed = JSON.parse(String(responses.upstream.writeBody(call, "other", "Be brief.")));
  expect(changed).toEqual({ ...json, model: "other", instructions: "Be brief." });
});

test.each([
  [{ previous_response_id: "resp_1" }, "previous_response_id"],
  [{ conversation: "conv_1" }, "conversation"],
  [{ prompt: { id: "pmpt_1" } }, "prompt"],
  [{ input: [{ type: "item_reference", id: "msg_1" }] }, "input"],
  [{ previous_response_id: null, conversation: null }, undefined],
])("%j refers by %s to a stored object of a provider", (more, member) => {
  expect(responses.parseRequest({ ...json, ...more }, false).refersTo).toBe(member);
});
