import { describe, expect, test } from "vitest";
import type { RelayCall } from "./api-format.ts";
import { buildResponsesAccess, responses } from "./responses.ts";

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
    expect(responses.upstream.createEventReader(call)(event(data))).toMatchObject({
      kind,
      textBytes,
    });
  });
  test.each(["response.completed", "response.incomplete"])(
    "ends with %s, which carries the usage",
    (type) => {
      expect(
        responses.upstream.createEventReader(call)(event({ type, response: { usage } })),
      ).toMatchObject({
        kind: "done",
        textBytes: 0,
        isLast: true,
        usage: {
          usage: { input: 20, cache_read: 10, cache_write_5m: 0, cache_write_1h: 0, output: 8 },
          hiddenOutput: 5,
          isCorrected: false,
        },
      });
    },
  );
  test("xAI's searches of X and of the web are charged together, in whole replies and as they are streamed", () => {
    const output = ["x_search_call", "web_search_call", "x_search_call"].map((type) => ({
      type,
      status: "completed",
    }));
    const reply = { object: "response", status: "completed", output, usage };
    expect(responses.upstream.readReply(reply)?.usage?.usage).toMatchObject({ web_searches: 3 });
    const [item] = output;
    expect(
      responses.upstream.createEventReader(call)(
        event({ type: "response.output_item.done", item }),
      ),
    ).toMatchObject({ kind: "content", extras: { web_searches: 1 } });
  });
  test("the reason of a failed response may come in an event behind it", () => {
    const read = responses.upstream.createEventReader(call);
    const failed = event({ type: "response.failed", response: { status: "failed", error: null } });
    expect(read(failed)).toMatchObject({ kind: "other", isHidden: true });
    expect(
      read(event({ type: "error", code: "invalid_prompt", message: "flagged" })),
    ).toMatchObject({
      kind: "error",
      error: { code: "invalid_prompt", message: "flagged" },
    });
  });
  test.each([
    ["failed", { code: "server_error", message: "x" }, 500],
    ["failed", { code: "content_filter", message: "x" }, 400],
    ["failed", { type: "invalid_request_error", message: "x" }, 400],
    ["cancelled", null, 500],
    ["queued", null, 502],
    ["in_progress", null, 502],
    ["incomplete", null, undefined],
    ["completed", null, undefined],
  ])("a whole response that is %s with the error %j has the status %s", (status, error, expected) =>
    expect(
      responses.upstream.errorIn?.({ object: "response", status, error, output: [] })?.status,
    ).toBe(expected),
  );
  test("one that its provider keeps may go on, where a client reads it", () => {
    const { upstream } = buildResponsesAccess("GET", "/resp_1");
    expect(upstream.errorIn?.({ object: "response", status: "in_progress" })).toBeUndefined();
    expect(upstream.errorIn?.({ object: "response", status: "failed" })?.status).toBe(500);
  });
  test.each([
    ["completed", undefined],
    ["incomplete", { text: "" }],
    ["queued", { text: "" }],
  ])("a response without items that is %s", (status, expected) => {
    const reply = responses.upstream.readReply({ object: "response", status, output: [], usage });
    if (expected) expect(reply).toMatchObject(expected);
    else expect(reply).toBeUndefined();
  });
  test("malformed data is reported", () => {
    expect(
      responses.upstream.createEventReader(call)(
        'data: {"type":"response.completed","response":{]}}\n\n',
      ).kind,
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

describe("the provider's own tools", () => {
  const readItems = (output: object[], more: object = {}) =>
    responses.upstream.readReply({ object: "response", output, usage, ...more })?.usage;

  test("are charged by the items that show them, or by the count where it is larger", () => {
    const search = { type: "web_search_call", action: { type: "search" } };
    expect(readItems([search, { type: "web_search_call" }])?.usage.web_searches).toBe(2);
    expect(
      readItems([search], { tool_usage: { web_search: { num_requests: 3 } } })?.usage.web_searches,
    ).toBe(3);
    expect(
      readItems([search], { tool_usage: { web_search: { num_requests: 0 } } })?.usage.web_searches,
    ).toBe(1);
    expect(readItems([{ type: "file_search_call" }])?.usage).toMatchObject({ file_searches: 1 });
  });
  test("cost nothing where they open a page or look into it, whole and streamed", () => {
    const opened = { type: "web_search_call", action: { type: "open_page" } };
    expect(readItems([opened])?.usage).not.toHaveProperty("web_searches");
    const read = responses.upstream.createEventReader(call);
    expect(read(event({ type: "response.output_item.done", item: opened }))).not.toHaveProperty(
      "extras",
    );
  });
  test("are charged as xAI bills them, where it says so", () => {
    const billed = {
      ...usage,
      server_side_tool_usage_details: { x_search_calls: 1, code_interpreter_calls: 2 },
    };
    const shown = [
      { type: "web_search_call" },
      { type: "web_search_call" },
      { type: "code_interpreter_call" },
    ];
    const read = readItems(shown, { usage: billed });
    expect(read?.usage).toMatchObject({ web_searches: 1, code_runs: 2 });
    expect(read).not.toHaveProperty("hasUnknownFee");
  });
  test("are charged a container in which programs ran, whole and streamed", {
    tags: ["S2-02"],
  }, () => {
    const ran = { type: "code_interpreter_call", container_id: "c", code: "1" };
    const inShell = {
      type: "shell_call",
      environment: { type: "container_reference", container_id: "d" },
    };
    expect(readItems([ran, ran, inShell])?.usage).toMatchObject({ container_sessions: 2 });
    expect(readItems([{ type: "code_interpreter_call" }])?.usage).not.toHaveProperty(
      "container_sessions",
    );
    const read = responses.upstream.createEventReader(call);
    const done = (item: object) =>
      read(event({ type: "response.output_item.done", output_index: 1, item })).extras;
    expect([ran, ran, inShell, { type: "message" }].map(done)).toEqual([
      { container_sessions: 1 },
      undefined,
      { container_sessions: 1 },
      undefined,
    ]);
  });
  const drawn = { type: "image_generation_call", result: "aGk=" };
  test.each([
    ["a program whose container is not named", { type: "code_interpreter_call" }, {}, true],
    [
      "a program in its container",
      { type: "code_interpreter_call", container_id: "c" },
      {},
      undefined,
    ],
    [
      "a shell whose container is not named",
      { type: "shell_call", environment: { type: "container" } },
      {},
      true,
    ],
    [
      "a shell of the client",
      { type: "shell_call", environment: { type: "local" } },
      {},
      undefined,
    ],
    [
      "a picture whose tokens are counted",
      drawn,
      { tool_usage: { image_gen: { output_tokens: 9 } } },
      undefined,
    ],
    ["a picture whose tokens are not", drawn, {}, true],
    [
      "vectors, whose author has a price of its own",
      { ...drawn, svg_usage: { total_tokens: 9 } },
      { tool_usage: { image_gen: { output_tokens: 9 } } },
      true,
    ],
  ])("say whether all of their fees are known: %s", (_, item, more, hasUnknownFee) => {
    expect(readItems([item], more)?.hasUnknownFee).toBe(hasUnknownFee);
  });
});

describe("usage of 0", () => {
  const zero = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  const readZero = (output: object[]) =>
    responses.upstream.readReply({ object: "response", output, usage: zero })?.usage;

  test("is the provider's count where a program of the model runs on, and none for any other answer", () => {
    const ofProgram = { type: "function_call", caller: { type: "program" } };
    expect(readZero([ofProgram])?.usage).toEqual({
      input: 0,
      cache_read: 0,
      cache_write_5m: 0,
      cache_write_1h: 0,
      output: 0,
    });
    expect(readZero([ofProgram, { type: "message" }])).toBeUndefined();
    expect(readZero([])).toBeUndefined();
  });
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
