import { translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import type { RelayCall } from "../formats/api-format.ts";
import { responses } from "../formats/responses.ts";
import { chatToMessages } from "./chat-to-messages.ts";
import { composeTranslations } from "./composed-translation.ts";
import { responsesThroughChat, responsesToChat } from "./responses-to-chat.ts";

const call = (json: object = {}): RelayCall => {
  const asked = { model: "m", input: "hi", ...json };
  return {
    ...responses.parseRequest(asked, false),
    client: responses,
    upstream: responses.upstream,
    headers: [],
    body: Buffer.from(JSON.stringify(asked)),
  };
};
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const delta = (fields: object, more: object = {}) =>
  event({ id: "chatcmpl-1", choices: [{ index: 0, delta: fields, ...more }] });
const toolCall = (index: number, more: object) => delta({ tool_calls: [{ index, ...more }] });

interface ReportedReply {
  type: string;
  sequence_number: number;
  response: { status: string; output: Record<string, unknown>[]; usage: unknown };
  [member: string]: unknown;
}
/** `clientEventsOf` gives what a reader of the stream sees; each event is named after its type. */
function clientEventsOf(stream: string): ReportedReply[] {
  return stream
    .split("\n\n")
    .filter((one) => one !== "" && one !== "data: [DONE]")
    .map((one) => {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(one) ?? [];
      const parsed = JSON.parse(data ?? "") as ReportedReply;
      expect(parsed.type).toBe(name);
      return parsed;
    });
}
function streamOf(chunks: string[], json: object = {}): ReportedReply[] {
  const answers = responsesToChat.createReplyTranslator(call(json));
  return clientEventsOf(
    chunks.map((one) => answers.translateEvent(one)).join("") + answers.finish(),
  );
}
const text = (type: string, words: string) => [{ type, text: words }];

describe("a body", () => {
  const body = (json: object, model = "m") =>
    translatedBody(responsesToChat, { model, ...json }, model);

  test("with text alone is one message", () => {
    expect(
      body({ input: "hi", instructions: "Be kind.", max_output_tokens: 9, temperature: 0 }),
    ).toEqual({
      model: "m",
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: "hi" },
      ],
      max_tokens: 9,
      temperature: 0,
    });
  });

  test("has one turn of the model in one message", () => {
    const input = [
      { role: "developer", content: text("input_text", "Be brief.") },
      { type: "message", role: "user", content: text("input_text", "go") },
      { type: "reasoning", id: "rs_1", summary: text("summary_text", "hm") },
      { type: "message", role: "assistant", content: text("output_text", "so") },
      { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
      { type: "function_call", call_id: "b", name: "g", arguments: "[]" },
      { type: "function_call_output", call_id: "a", output: "one" },
      { type: "function_call_output", call_id: "b", output: text("input_text", "two") },
      { type: "web_search_call", id: "ws_1" },
      { role: "user", content: "on" },
    ];
    const made = (id: string, name: string, written: string) => ({
      id,
      type: "function",
      function: { name, arguments: written },
    });
    expect(body({ input }).messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: "so",
        tool_calls: [made("a", "f", "{}"), made("b", "g", "[]")],
      },
      { role: "tool", tool_call_id: "a", content: "one" },
      { role: "tool", tool_call_id: "b", content: "two" },
      { role: "user", content: "on" },
    ]);
  });

  test("carries images and files, and images of tools after their last result", () => {
    const picture = "data:image/png;base64,aGk=";
    const image = { type: "input_image", image_url: picture };
    const shown = { type: "image_url", image_url: { url: picture } };
    const file = {
      type: "input_file",
      filename: "a.pdf",
      file_data: "data:application/pdf;base64,aGk=",
    };
    const input = [
      {
        role: "user",
        content: [{ ...image, detail: "low" }, file, { type: "input_image", file_id: "file_1" }],
      },
      { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
      { type: "function_call", call_id: "b", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output: [image] },
      { type: "function_call_output", call_id: "b", output: "two" },
    ];
    const called = (id: string) => ({
      id,
      type: "function",
      function: { name: "f", arguments: "{}" },
    });
    expect(body({ input }).messages).toEqual([
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: picture, detail: "low" } },
          { type: "file", file: { filename: "a.pdf", file_data: file.file_data } },
        ],
      },
      { role: "assistant", content: null, tool_calls: [called("a"), called("b")] },
      { role: "tool", tool_call_id: "a", content: "" },
      { role: "tool", tool_call_id: "b", content: "two" },
      { role: "user", content: [shown] },
    ]);
  });

  const tools = [
    { type: "function", name: "f", parameters: { type: "object" }, strict: true },
    { type: "web_search" },
  ];
  test("keeps the tools that the client runs", () => {
    expect(body({ input: "hi", tools, parallel_tool_calls: false })).toMatchObject({
      tools: [
        { type: "function", function: { name: "f", parameters: { type: "object" }, strict: true } },
      ],
      parallel_tool_calls: false,
    });
    expect(
      body({ input: "hi", tools: [tools[1]], tool_choice: "auto", parallel_tool_calls: true }),
    ).toEqual({
      model: "m",
      messages: [{ role: "user", content: "hi" }],
    });
  });

  test.each([
    ["required", "required"],
    ["none", "none"],
    [
      { type: "function", name: "f" },
      { type: "function", function: { name: "f" } },
    ],
    [{ type: "allowed_tools", mode: "required", tools: [] }, "required"],
    [{ type: "web_search" }, undefined],
  ])("with %j chooses tools by %j", (tool_choice, wanted) => {
    expect(body({ input: "hi", tools, tool_choice }).tool_choice).toEqual(wanted);
  });

  test("sends structure, effort and limits under their names in chat completions", () => {
    const schema = { type: "object" };
    const format = { type: "json_schema", name: "answer", schema, strict: true };
    const asked = {
      input: "hi",
      text: { format, verbosity: "low" },
      reasoning: { effort: "high" },
      max_output_tokens: 9,
    };
    expect(body(asked)).toMatchObject({
      response_format: {
        type: "json_schema",
        json_schema: { name: "answer", schema, strict: true },
      },
      reasoning_effort: "high",
      max_tokens: 9,
    });
    expect(body(asked)).not.toHaveProperty("verbosity");
    expect(body(asked, "gpt-5-mini")).toMatchObject({ max_completion_tokens: 9, verbosity: "low" });
    expect(body({ input: "hi", text: { format: { type: "text" } } })).not.toHaveProperty(
      "response_format",
    );
  });

  test("drops fields that matter only to a provider that stores replies", () => {
    const agents = {
      store: false,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "k",
      metadata: { a: "b" },
    };
    expect(body({ input: "hi", ...agents })).toEqual({
      model: "m",
      messages: [{ role: "user", content: "hi" }],
    });
  });
});

describe("a stream", () => {
  const chunks = [
    delta({ role: "assistant", content: "" }),
    delta({ reasoning_content: "hm" }),
    delta({ content: "so " }),
    delta({ content: "on" }),
    toolCall(0, { id: "a", function: { name: "f", arguments: "" } }),
    toolCall(0, { function: { arguments: "{}" } }),
    toolCall(1, { id: "b", function: { name: "g", arguments: "[" } }),
    toolCall(0, { function: { arguments: " " } }),
    toolCall(1, { function: { arguments: "]" } }),
    delta({}, { finish_reason: "tool_calls" }),
    event({
      choices: [],
      usage: {
        prompt_tokens: 5,
        completion_tokens: 9,
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    }),
    "data: [DONE]\n\n",
  ];

  test("has every event of the format, in order", () => {
    const clientEvents = streamOf(chunks);
    expect(
      clientEvents.map(
        ({ type, output_index }) =>
          `${type.slice(9)}${output_index === undefined ? "" : ` ${output_index}`}`,
      ),
    ).toEqual([
      "created",
      "in_progress",
      "output_item.added 0",
      "reasoning_summary_part.added 0",
      "reasoning_summary_text.delta 0",
      "reasoning_summary_text.done 0",
      "reasoning_summary_part.done 0",
      "output_item.done 0",
      "output_item.added 1",
      "content_part.added 1",
      "output_text.delta 1",
      "output_text.delta 1",
      "output_text.done 1",
      "content_part.done 1",
      "output_item.done 1",
      "output_item.added 2",
      "function_call_arguments.delta 2",
      "output_item.added 3",
      "function_call_arguments.delta 3",
      "function_call_arguments.delta 2",
      "function_call_arguments.delta 3",
      "function_call_arguments.done 2",
      "output_item.done 2",
      "function_call_arguments.done 3",
      "output_item.done 3",
      "completed",
    ]);
    expect(clientEvents.map(({ sequence_number }) => sequence_number)).toEqual(
      clientEvents.map((_, index) => index),
    );
  });

  test("ends with the whole reply, equal to the reply without a stream", () => {
    const { response } = streamOf(chunks).at(-1) ?? { response: undefined };
    expect(response).toMatchObject({
      id: "resp_1",
      object: "response",
      status: "completed",
      incomplete_details: null,
      output: [
        { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] },
        {
          type: "message",
          status: "completed",
          content: [{ type: "output_text", text: "so on", annotations: [] }],
        },
        { type: "function_call", status: "completed", call_id: "a", name: "f", arguments: "{} " },
        { type: "function_call", status: "completed", call_id: "b", name: "g", arguments: "[]" },
      ],
      usage: {
        input_tokens: 5,
        output_tokens: 9,
        output_tokens_details: { reasoning_tokens: 2 },
        total_tokens: 14,
      },
    });
    const message = {
      role: "assistant",
      reasoning_content: "hm",
      content: "so on",
      tool_calls: [
        { id: "a", type: "function", function: { name: "f", arguments: "{} " } },
        { id: "b", type: "function", function: { name: "g", arguments: "[]" } },
      ],
    };
    const usage = {
      prompt_tokens: 5,
      completion_tokens: 9,
      completion_tokens_details: { reasoning_tokens: 2 },
    };
    const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
    const whole = responsesToChat
      .createReplyTranslator(call())
      .translateReply({ id: "chatcmpl-1", choices, usage });
    expect(whole).toEqual({ ...response, created_at: expect.any(Number) });
  });

  test("repeats the fields of the request", () => {
    const asked = {
      instructions: "Be kind.",
      tools: [{ type: "function", name: "f" }],
      tool_choice: "required",
      metadata: { a: "b" },
    };
    const [created] = streamOf([delta({ content: "x" })], asked);
    expect(created?.response).toMatchObject({
      ...asked,
      model: "m",
      status: "in_progress",
      output: [],
      usage: null,
    });
  });

  test.each([
    ["length", "max_output_tokens"],
    ["content_filter", "content_filter"],
  ])("that stopped for %s is incomplete", (finish_reason, reason) => {
    const last = streamOf([delta({ content: "so" }), delta({}, { finish_reason })]).at(-1);
    expect(last).toMatchObject({
      type: "response.incomplete",
      response: {
        status: "incomplete",
        incomplete_details: { reason },
        output: [{ status: "incomplete" }],
      },
    });
  });

  test("separates a refusal from text", () => {
    const clientEvents = streamOf([delta({ refusal: "No" })]);
    expect(clientEvents.map(({ type }) => type)).toContain("response.refusal.delta");
    expect(clientEvents.at(-1)?.response.output).toMatchObject([
      { content: [{ type: "refusal", refusal: "No" }] },
    ]);
  });

  test("distinguishes calls that all have the same index", () => {
    const one = (id: string) => toolCall(0, { id, function: { name: "f", arguments: id } });
    const { response } = streamOf([one("a"), one("b")]).at(-1) ?? { response: undefined };
    expect(response?.output).toMatchObject([
      { call_id: "a", arguments: "a" },
      { call_id: "b", arguments: "b" },
    ]);
  });

  test("without any event is still a whole response", () => {
    expect(streamOf([]).map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.completed",
    ]);
  });
});

describe("over Anthropic", () => {
  const overMessages = composeTranslations(responsesThroughChat, chatToMessages);
  const thought = { type: "thinking", thinking: "hm", signature: "c2ln" };
  const stream = [
    { type: "message_start", message: { id: "1", usage: { input_tokens: 5, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hm" } },
    {
      type: "content_block_delta",
      index: 0,
      delta: { type: "signature_delta", signature: "c2ln" },
    },
    { type: "content_block_stop", index: 0 },
    {
      type: "content_block_start",
      index: 1,
      content_block: { type: "tool_use", id: "a", name: "f" },
    },
    {
      type: "content_block_delta",
      index: 1,
      delta: { type: "input_json_delta", partial_json: "{}" },
    },
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ];
  const answered = (json: object) => {
    const answers = overMessages.createReplyTranslator(call(json));
    const clientEvents = clientEventsOf(
      stream.map((data) => answers.translateEvent(event(data))).join("") + answers.finish(),
    );
    return clientEvents.at(-1)?.response;
  };

  test("usage and calls come back", () => {
    expect(answered({})).toMatchObject({
      output: [{ type: "reasoning" }, { type: "function_call", call_id: "a", arguments: "{}" }],
      usage: { input_tokens: 5, output_tokens: 9 },
    });
    expect(answered({})?.output[0]).not.toHaveProperty("encrypted_content");
  });

  test("signed reasoning is sent encoded to clients that ask for it, and comes back whole", () => {
    const output = answered({ include: ["reasoning.encrypted_content"] })?.output ?? [];
    const input = [
      { role: "user", content: "go" },
      ...output,
      { type: "function_call_output", call_id: "a", output: "" },
    ];
    expect(translatedBody(overMessages, { model: "m", input }, "m").messages).toEqual([
      { role: "user", content: [{ type: "text", text: "go" }] },
      {
        role: "assistant",
        content: [thought, { type: "tool_use", id: "a", name: "f", input: {} }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [] }] },
    ]);
  });

  test("reasoning that another provider encrypted is dropped", () => {
    const input = [
      { role: "user", content: "go" },
      { type: "reasoning", encrypted_content: "gAAAAA" },
      { role: "assistant", content: "so" },
    ];
    expect(translatedBody(overMessages, { model: "m", input }, "m").messages).toEqual([
      { role: "user", content: [{ type: "text", text: "go" }] },
      { role: "assistant", content: [{ type: "text", text: "so" }] },
    ]);
  });
});

test.each([responsesToChat, composeTranslations(responsesThroughChat, chatToMessages)])(
  "hostile bodies are translated without a fault",
  (translation) => {
    const odd: unknown[] = [
      null,
      7,
      "x",
      [],
      {},
      [null],
      [[]],
      { type: "text" },
      [{ type: "input_image" }],
      [{ index: "x" }],
    ];
    const types = ["message", "function_call", "function_call_output", "reasoning", "new"];
    for (const value of odd) {
      const items = types.flatMap((type) => [
        {
          type,
          role: "assistant",
          content: value,
          output: value,
          arguments: value,
          encrypted_content: value,
        },
        { type, role: value, content: value, output: value },
      ]);
      const members = {
        instructions: value,
        tools: value,
        tool_choice: value,
        text: value,
        reasoning: value,
        include: value,
      };
      for (const input of [value, items]) {
        expect(translatedBody(translation, { model: "m", input, ...members }, "m")).toMatchObject({
          model: "m",
        });
      }
      const hostile = {
        ...call(),
        body: Buffer.from(JSON.stringify({ input: value, ...members, metadata: value })),
      };
      const answer = () => translation.createReplyTranslator(hostile);
      const answers = answer();
      const message = {
        content: value,
        tool_calls: value,
        reasoning_content: value,
        thinking_blocks: value,
      };
      const choices = [{ delta: message, message, finish_reason: value }];
      expect(answer().translateReply({ choices, content: value, usage: value })).toBeTypeOf(
        "object",
      );
      expect(answer().translateReply({ choices: value })).toBeTypeOf("object");
      expect(
        answers.translateEvent(event({ type: "content_block_delta", delta: value, choices })),
      ).toBeTypeOf("string");
      expect(answers.finish()).toMatch(/response\.(?:in)?complete/);
    }
  },
);
