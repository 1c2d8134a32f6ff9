// Requests, answers and events are modelled on OpenAI's reference of Responses
// (https://platform.openai.com/docs/api-reference/responses and …/responses-streaming), not captured.

import { droppedFields, translatedBody } from "@tollgate/tests/support/translate-request.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import type { ClientFormat, RelayCall } from "../formats/api-format.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import { responses } from "../formats/responses.ts";
import { type JsonRecord, records } from "../wire/json-parts.ts";
import { findEventData, SseSplitter } from "../wire/sse-splitter.ts";
import { chatToMessages } from "./chat-to-messages.ts";
import { chatToResponses } from "./chat-to-responses.ts";
import { composeTranslations } from "./composed-translation.ts";
import { messagesThroughChat, messagesToChat } from "./messages-to-chat.ts";
import { responsesToChat } from "./responses-to-chat.ts";

const user = (content: unknown): JsonRecord => ({ role: "user", content });
const callOf = (format: ClientFormat, json: JsonRecord): RelayCall => ({
  ...format.parseRequest(json, false),
  client: format,
  upstream: format.upstream,
  headers: [],
  body: Buffer.from(JSON.stringify(json)),
});
const chatCall = callOf(chatCompletions, {
  model: "m",
  messages: [user("hi")],
  stream_options: { include_usage: true },
});
const body = (json: JsonRecord, model = "m") =>
  translatedBody(chatToResponses, { model, ...json }, model);
const picture = "data:image/png;base64,aGk=";

describe("a chat request for Responses", () => {
  test("has an item for each message, call and result", () => {
    const messages = [
      { role: "system", content: "Be kind." },
      { role: "developer", content: [{ type: "text", text: "Be brief." }] },
      user("go"),
      {
        role: "assistant",
        content: "so",
        tool_calls: [
          { id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } },
          { id: "b", type: "custom", custom: { name: "g", input: "free" } },
        ],
      },
      { role: "tool", tool_call_id: "a", content: "one" },
      { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "two" }] },
      { role: "assistant", content: null, refusal: "no" },
    ];
    expect(body({ messages })).toEqual({
      model: "m",
      store: false,
      input: [
        { role: "system", content: "Be kind." },
        { role: "developer", content: [{ type: "input_text", text: "Be brief." }] },
        { role: "user", content: "go" },
        { role: "assistant", content: [{ type: "output_text", text: "so" }] },
        { type: "function_call", call_id: "a", name: "f", arguments: '{"x":1}' },
        { type: "custom_tool_call", call_id: "b", name: "g", input: "free" },
        { type: "function_call_output", call_id: "a", output: "one" },
        {
          type: "custom_tool_call_output",
          call_id: "b",
          output: [{ type: "input_text", text: "two" }],
        },
        { role: "assistant", content: [{ type: "refusal", refusal: "no" }] },
      ],
    });
  });

  test("carries images, files and audio", () => {
    const content = [
      { type: "text", text: "look" },
      { type: "image_url", image_url: { url: picture, detail: "low" } },
      { type: "image_url", image_url: { url: "https://pictures.example/a.png" } },
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,aGk=" } },
      { type: "file", file: { file_id: "file_1" } },
      { type: "input_audio", input_audio: { data: "aGk=", format: "wav" } },
    ];
    expect(body({ messages: [user(content)] }).input).toEqual([
      user([
        { type: "input_text", text: "look" },
        { type: "input_image", image_url: picture, detail: "low" },
        { type: "input_image", image_url: "https://pictures.example/a.png", detail: "auto" },
        { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,aGk=" },
        { type: "input_file", file_id: "file_1" },
        { type: "input_audio", input_audio: { data: "aGk=", format: "wav" } },
      ]),
    ]);
  });

  const parameters = { type: "object", properties: { city: { type: "string" } } };
  const tools = [
    { type: "function", function: { name: "f", description: "d", parameters, strict: true } },
    { type: "function", function: { name: "g" } },
    {
      type: "custom",
      custom: {
        name: "c",
        format: { type: "grammar", grammar: { syntax: "lark", definition: "x" } },
      },
    },
  ];
  test("has its tools one level flatter, and equally strict", () => {
    expect(body({ messages: [user("hi")], tools, parallel_tool_calls: false })).toMatchObject({
      tools: [
        { type: "function", name: "f", description: "d", parameters, strict: true },
        {
          type: "function",
          name: "g",
          parameters: { type: "object", properties: {} },
          strict: false,
        },
        { type: "custom", name: "c", format: { type: "grammar", syntax: "lark", definition: "x" } },
      ],
      parallel_tool_calls: false,
    });
  });

  test.each([
    ["required", "required"],
    ["none", "none"],
    [
      { type: "function", function: { name: "f" } },
      { type: "function", name: "f" },
    ],
    [
      { type: "custom", custom: { name: "c" } },
      { type: "custom", name: "c" },
    ],
    [
      {
        type: "allowed_tools",
        allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "f" } }] },
      },
      { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "f" }] },
    ],
  ])("with the choice %j chooses %j", (tool_choice, wanted) => {
    expect(body({ messages: [user("hi")], tools, tool_choice }).tool_choice).toEqual(wanted);
    expect(body({ messages: [user("hi")], tool_choice })).not.toHaveProperty("tool_choice");
  });

  test.each([
    [{ max_tokens: 100 }, { max_output_tokens: 100 }],
    [{ max_tokens: 100, max_completion_tokens: 50 }, { max_output_tokens: 50 }],
    [{ max_tokens: 1 }, { max_output_tokens: 16 }],
    [{ reasoning_effort: "none" }, { reasoning: { effort: "none" } }],
    [
      { reasoning_effort: "high" },
      { reasoning: { effort: "high" }, include: ["reasoning.encrypted_content"] },
    ],
    [
      { reasoning_effort: "low", reasoning: { summary: "auto" } },
      { reasoning: { effort: "low", summary: "auto" }, include: ["reasoning.encrypted_content"] },
    ],
    [{ verbosity: "low" }, { text: { verbosity: "low" } }],
    [{ response_format: { type: "json_object" } }, { text: { format: { type: "json_object" } } }],
    [
      {
        response_format: {
          type: "json_schema",
          json_schema: { name: "x", schema: parameters, strict: true },
        },
      },
      { text: { format: { type: "json_schema", name: "x", schema: parameters, strict: true } } },
    ],
    [
      { logprobs: true, top_logprobs: 2 },
      { include: ["message.output_text.logprobs"], top_logprobs: 2 },
    ],
    [
      { store: true, metadata: { a: "b" } },
      { store: true, metadata: { a: "b" } },
    ],
    [{ stream: true, stream_options: { include_usage: true } }, { stream: true }],
    [
      {
        temperature: 0,
        top_p: 0.5,
        user: "u",
        service_tier: "flex",
        prompt_cache_key: "k",
        safety_identifier: "s",
      },
      {
        temperature: 0,
        top_p: 0.5,
        user: "u",
        service_tier: "flex",
        prompt_cache_key: "k",
        safety_identifier: "s",
      },
    ],
    [{ seed: 1, stop: ["x"], n: 1 }, {}],
  ])("%j becomes %j", (options, wanted) => {
    expect(body({ messages: [user("hi")], ...options })).toEqual({
      model: "m",
      store: false,
      input: [user("hi")],
      ...wanted,
    });
  });
});

const usage = {
  input_tokens: 36,
  input_tokens_details: { cached_tokens: 10 },
  output_tokens: 87,
  output_tokens_details: { reasoning_tokens: 64 },
  total_tokens: 123,
};
const chatUsage = {
  prompt_tokens: 36,
  completion_tokens: 87,
  total_tokens: 123,
  prompt_tokens_details: { cached_tokens: 10 },
  completion_tokens_details: { reasoning_tokens: 64 },
};
const citation = {
  type: "url_citation",
  start_index: 0,
  end_index: 2,
  url: "https://a.example",
  title: "A",
};
const likely = { token: "so", logprob: -0.1, bytes: [115, 111], top_logprobs: [] };
const reasoning = {
  id: "rs_1",
  type: "reasoning",
  summary: [
    { type: "summary_text", text: "hm" },
    { type: "summary_text", text: "ah" },
  ],
};
const message = {
  id: "msg_1",
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text: "so", annotations: [citation], logprobs: [likely] }],
};
const call = {
  id: "fc_1",
  type: "function_call",
  status: "completed",
  call_id: "call_1",
  name: "f",
  arguments: '{"a":1}',
};
const otherCall = { ...call, id: "fc_2", call_id: "call_2", name: "g", arguments: "{}" };
const customCall = {
  id: "ctc_1",
  type: "custom_tool_call",
  call_id: "call_3",
  name: "c",
  input: "free",
};
const response = (output: readonly object[], more: JsonRecord = {}): JsonRecord => ({
  id: "resp_67ccd2bed1ec8190b14f964abc054267",
  object: "response",
  created_at: 1741476542,
  status: "completed",
  error: null,
  incomplete_details: null,
  model: "gpt-5-codex-2026-01-01",
  output,
  parallel_tool_calls: true,
  service_tier: "default",
  usage,
  ...more,
});
const madeCall = { id: "call_1", type: "function", function: { name: "f", arguments: '{"a":1}' } };

describe("a whole reply", () => {
  const whole = (output: readonly object[], more: JsonRecord = {}) =>
    chatToResponses
      .createReplyTranslator(chatCall)
      .translateReply(response(output, more)) as JsonRecord;

  test("has reasoning, text, citations, log probabilities, calls and usage where chat completions has them", () => {
    expect(whole([reasoning, message, call, otherCall, customCall])).toEqual({
      id: "chatcmpl-67ccd2bed1ec8190b14f964abc054267",
      object: "chat.completion",
      created: 1741476542,
      model: "m",
      service_tier: "default",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "so",
            refusal: null,
            reasoning_content: "hm\n\nah",
            annotations: [
              {
                type: "url_citation",
                url_citation: {
                  start_index: 0,
                  end_index: 2,
                  url: "https://a.example",
                  title: "A",
                },
              },
            ],
            tool_calls: [
              madeCall,
              { id: "call_2", type: "function", function: { name: "g", arguments: "{}" } },
              { id: "call_3", type: "custom", custom: { name: "c", input: "free" } },
            ],
          },
          logprobs: { content: [likely], refusal: null },
          finish_reason: "tool_calls",
        },
      ],
      usage: chatUsage,
    });
  });

  const refusing = { ...message, content: [{ type: "refusal", refusal: "no" }] };
  const thinking = {
    type: "reasoning",
    summary: [],
    content: [{ type: "reasoning_text", text: "hm" }],
  };
  const incomplete = (reason: string) => ({ status: "incomplete", incomplete_details: { reason } });
  test.each<[string, object[], JsonRecord, JsonRecord]>([
    ["words alone", [message], {}, { finish_reason: "stop", message: { content: "so" } }],
    [
      "a call alone",
      [call],
      {},
      { finish_reason: "tool_calls", message: { content: null, tool_calls: [madeCall] } },
    ],
    [
      "a refusal",
      [refusing],
      {},
      { finish_reason: "stop", message: { content: null, refusal: "no" } },
    ],
    ["open thoughts", [thinking], {}, { message: { content: "", reasoning_content: "hm" } }],
    ["its limit reached", [message], incomplete("max_output_tokens"), { finish_reason: "length" }],
    [
      "a filter's end",
      [message],
      incomplete("content_filter"),
      { finish_reason: "content_filter" },
    ],
    ["nothing at all", [], {}, { finish_reason: "stop", message: { content: "" } }],
  ])("with %s", (_name, output, more, choice) => {
    expect(whole(output, more).choices).toMatchObject([choice]);
  });

  test.each([
    ["rate_limit_exceeded", 429],
    ["invalid_prompt", 400],
    ["server_error", 500],
    [undefined, 500],
  ])("that failed with %s counts as status %i", (code, status) => {
    const error = { ...(code && { code }), message: "The model failed" };
    const failed = response([], { status: "failed", error });
    expect(responses.upstream.errorIn?.(failed)).toEqual({
      status,
      code: code ?? null,
      message: "The model failed",
    });
    expect(responses.upstream.errorIn?.(response([message]))).toBeUndefined();
  });
});

let sequence = 0;
const event = (type: string, members: object): string => {
  sequence += 1;
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...members })}\n\n`;
};
const inProgress = response([], { status: "in_progress", usage: null });
const at = (output_index: number, item_id: string, more: object = {}) => ({
  output_index,
  item_id,
  ...more,
});
const thoughts = [
  event("response.output_item.added", { output_index: 0, item: { ...reasoning, summary: [] } }),
  event(
    "response.reasoning_summary_part.added",
    at(0, "rs_1", { summary_index: 0, part: { type: "summary_text", text: "" } }),
  ),
  event("response.reasoning_summary_text.delta", at(0, "rs_1", { summary_index: 0, delta: "hm" })),
  event("response.reasoning_summary_text.done", at(0, "rs_1", { summary_index: 0, text: "hm" })),
  event(
    "response.reasoning_summary_part.added",
    at(0, "rs_1", { summary_index: 1, part: { type: "summary_text", text: "" } }),
  ),
  event("response.reasoning_summary_text.delta", at(0, "rs_1", { summary_index: 1, delta: "ah" })),
  event("response.output_item.done", { output_index: 0, item: reasoning }),
];
const words = [
  event("response.output_item.added", {
    output_index: 1,
    item: { ...message, status: "in_progress", content: [] },
  }),
  event(
    "response.content_part.added",
    at(1, "msg_1", { content_index: 0, part: { type: "output_text", text: "" } }),
  ),
  event(
    "response.output_text.delta",
    at(1, "msg_1", { content_index: 0, delta: "s", logprobs: [likely] }),
  ),
  event(
    "response.output_text.delta",
    at(1, "msg_1", { content_index: 0, delta: "ö 🌍", logprobs: [] }),
  ),
  event(
    "response.output_text.annotation.added",
    at(1, "msg_1", { content_index: 0, annotation_index: 0, annotation: citation }),
  ),
  event(
    "response.output_text.done",
    at(1, "msg_1", { content_index: 0, text: "sö 🌍", logprobs: [likely] }),
  ),
  event("response.output_item.done", { output_index: 1, item: message }),
];
const calls = [
  event("response.output_item.added", {
    output_index: 2,
    item: { ...call, status: "in_progress", arguments: "" },
  }),
  event("response.function_call_arguments.delta", at(2, "fc_1", { delta: '{"a"' })),
  event("response.output_item.added", { output_index: 3, item: { ...otherCall, arguments: "" } }),
  event("response.function_call_arguments.delta", at(2, "fc_1", { delta: ":1}" })),
  event(
    "response.function_call_arguments.done",
    at(2, "fc_1", { name: "f", arguments: '{"a":1}' }),
  ),
  // Some providers write arguments at once.
  event("response.function_call_arguments.done", at(3, "fc_2", { name: "g", arguments: "{}" })),
  event("response.output_item.added", { output_index: 4, item: { ...customCall, input: "" } }),
  event("response.custom_tool_call_input.delta", at(4, "ctc_1", { delta: "free" })),
  event("response.custom_tool_call_input.done", at(4, "ctc_1", { input: "free" })),
];
const opening = [
  event("response.created", { response: inProgress }),
  event("response.in_progress", { response: inProgress }),
];
const stream = [
  ...opening,
  ...thoughts,
  ...words,
  ...calls,
  event("response.completed", {
    response: response([reasoning, message, call, otherCall, customCall]),
  }),
].join("");

interface Chunk {
  id: string;
  choices: { delta: JsonRecord; logprobs: unknown; finish_reason: string | null }[];
  usage?: unknown;
}
/** Everything that a stream in pieces becomes. */
function translated(pieces: readonly Buffer[]): string {
  const splitter = new SseSplitter();
  const answers = chatToResponses.createReplyTranslator(chatCall);
  const events = [...pieces.map((piece) => splitter.push(piece)), splitter.end()].flatMap(
    ({ bytes, ends }) =>
      ends.map((end, index) =>
        answers.translateEvent(bytes.toString("utf8", ends[index - 1] ?? 0, end)),
      ),
  );
  return events.join("") + answers.finish();
}
const chunksOf = (stream: string): Chunk[] =>
  stream
    .split("\n\n")
    .filter((one) => one.startsWith("data: {"))
    .map((one) => JSON.parse(findEventData(`${one}\n\n`) ?? "") as Chunk);

describe("a stream", () => {
  test("has reasoning, text, citations, calls, finish reason and usage in order", () => {
    const clientStream = translated([Buffer.from(stream)]);
    const chunks = chunksOf(clientStream);
    expect(clientStream.endsWith("data: [DONE]\n\n")).toBe(true);
    expect(new Set(chunks.map(({ id }) => id))).toEqual(
      new Set(["chatcmpl-67ccd2bed1ec8190b14f964abc054267"]),
    );
    expect(chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))).toEqual([
      { role: "assistant", content: "" },
      { reasoning_content: "hm" },
      { reasoning_content: "\n\n" },
      { reasoning_content: "ah" },
      { content: "s" },
      { content: "ö 🌍" },
      { annotations: [expect.objectContaining({ type: "url_citation" })] },
      {
        tool_calls: [
          { index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "" } },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] },
      {
        tool_calls: [
          { index: 1, id: "call_2", type: "function", function: { name: "g", arguments: "" } },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: ":1}" } }] },
      { tool_calls: [{ index: 1, function: { arguments: "{}" } }] },
      {
        tool_calls: [{ index: 2, id: "call_3", type: "custom", custom: { name: "c", input: "" } }],
      },
      { tool_calls: [{ index: 2, custom: { input: "free" } }] },
      {},
    ]);
    expect(
      chunks.flatMap(({ choices }) => choices.flatMap(({ logprobs }) => logprobs ?? [])),
    ).toEqual([{ content: [likely], refusal: null }]);
    expect(
      chunks.flatMap(({ choices }) => choices.flatMap(({ finish_reason }) => finish_reason ?? [])),
    ).toEqual(["tool_calls"]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: chatUsage });
  });

  test("is the same wherever it is split", () => {
    const bytes = Buffer.from(stream);
    const whole = translated([bytes]);
    for (let cut = 1; cut < bytes.length; cut += 1) {
      expect(translated([bytes.subarray(0, cut), bytes.subarray(cut)])).toBe(whole);
    }
    expect(translated(Array.from(bytes, (byte) => Buffer.from([byte])))).toBe(whole);
  });

  test("reports usage only to clients that ask for it", () => {
    const answers = chatToResponses.createReplyTranslator({ ...chatCall, wantsUsage: false });
    answers.translateEvent(event("response.completed", { response: response([message]) }));
    expect(answers.finish()).toBe("data: [DONE]\n\n");
  });

  test.each([
    ["max_output_tokens", "length"],
    ["content_filter", "content_filter"],
  ])("that is incomplete for %s ends with %s", (reason, finish_reason) => {
    const incomplete = response([message], {
      status: "incomplete",
      incomplete_details: { reason },
    });
    const clientStream = translated(
      [...opening, ...words, event("response.incomplete", { response: incomplete })].map((one) =>
        Buffer.from(one),
      ),
    );
    expect(chunksOf(clientStream).at(-2)?.choices).toMatchObject([{ delta: {}, finish_reason }]);
  });

  test("that refuses reports the refusal", () => {
    const clientStream = translated(
      [
        ...opening,
        event("response.refusal.delta", at(0, "msg_1", { content_index: 0, delta: "I " })),
        event("response.refusal.done", at(0, "msg_1", { content_index: 0, refusal: "I cannot" })),
        event("response.completed", { response: response([]) }),
      ].map((one) => Buffer.from(one)),
    );
    expect(chunksOf(clientStream).map(({ choices }) => choices[0]?.delta.refusal)).toEqual([
      undefined,
      "I ",
      "cannot",
      undefined,
      undefined,
    ]);
  });
});

describe("encrypted reasoning", () => {
  const sealed = { ...reasoning, encrypted_content: "gAAAA" };
  const block = { type: "thinking", thinking: "hm\n\nah", signature: "responses:gAAAA" };
  const sentBack = {
    type: "reasoning",
    summary: [{ type: "summary_text", text: "hm\n\nah" }],
    encrypted_content: "gAAAA",
  };
  const streamed = translated(
    [
      ...opening,
      ...thoughts.slice(0, -1),
      event("response.output_item.done", { output_index: 0, item: sealed }),
      ...calls,
      event("response.completed", { response: response([sealed, call, otherCall, customCall]) }),
    ].map((one) => Buffer.from(one)),
  );

  test("arrives as a block, whole and in a stream, and goes back before its calls", () => {
    const whole = chatToResponses
      .createReplyTranslator(chatCall)
      .translateReply(response([sealed, call])) as Pick<Chunk, "choices">;
    const message = (whole.choices[0] as unknown as { message: JsonRecord }).message;
    expect(message).toMatchObject({ reasoning_content: "hm\n\nah", thinking_blocks: [block] });
    const deltas = chunksOf(streamed).flatMap(({ choices }) => choices.map(({ delta }) => delta));
    expect(deltas.filter((delta) => delta.thinking_blocks !== undefined)).toEqual([
      { thinking_blocks: [{ index: 0, ...block }] },
    ]);
    const messages = [
      user("hi"),
      message,
      { role: "tool", tool_call_id: "call_1", content: "one" },
    ];
    expect(body({ messages }).input).toMatchObject([
      { role: "user" },
      sentBack,
      { type: "function_call", call_id: "call_1" },
      { type: "function_call_output", call_id: "call_1" },
    ]);
  });

  test("of other providers is dropped, and is dropped for other providers", () => {
    const signed = { type: "thinking", thinking: "hm", signature: "c2ln" };
    const messages = [
      user("hi"),
      { role: "assistant", content: "so", thinking_blocks: [signed, block] },
      user("on"),
    ];
    expect(body({ messages }).input).toMatchObject([
      { role: "user" },
      sentBack,
      { role: "assistant" },
      { role: "user" },
    ]);
    expect(translatedBody(chatToMessages, { model: "m", messages }, "m").messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [signed, { type: "text", text: "so" }] },
      { role: "user" },
    ]);
  });

  test("reaches clients of Messages with its signature, and comes back from them", () => {
    const through = composeTranslations(messagesThroughChat, chatToResponses);
    const asked = { model: "m", max_tokens: 9, messages: [user("hi")] };
    const messagesCall = callOf(anthropicMessages, asked);
    const whole = through
      .createReplyTranslator(messagesCall)
      .translateReply(response([sealed, call])) as {
      content: JsonRecord[];
    };
    expect(whole.content).toMatchObject([block, { type: "tool_use", id: "call_1" }]);

    const answers = messagesThroughChat.createReplyTranslator(messagesCall);
    const clientStream = streamed
      .split(/(?<=\n\n)/)
      .map((one) => answers.translateEvent(one))
      .join("");
    const events = clientStream
      .split("\n")
      .filter((line) => line.startsWith("data: "))
      .map(
        (line) =>
          JSON.parse(line.slice(6)) as {
            type: string;
            index: number;
            delta?: JsonRecord;
            content_block?: JsonRecord;
          },
      );
    expect(events.filter(({ index }) => index === 0)).toMatchObject([
      {
        type: "content_block_start",
        content_block: { type: "thinking", thinking: "", signature: "" },
      },
      { delta: { type: "thinking_delta", thinking: "hm" } },
      { delta: { type: "thinking_delta", thinking: "\n\n" } },
      { delta: { type: "thinking_delta", thinking: "ah" } },
      { delta: { type: "signature_delta", signature: block.signature } },
      { type: "content_block_stop" },
    ]);
    expect(events.find(({ index }) => index === 1)).toMatchObject({
      content_block: { type: "tool_use", name: "f" },
    });

    const result = { type: "tool_result", tool_use_id: "call_1", content: "one" };
    const messages = [user("hi"), { role: "assistant", content: whole.content }, user([result])];
    expect(translatedBody(through, { ...asked, messages }, "m").input).toMatchObject([
      { role: "user" },
      sentBack,
      { type: "function_call", call_id: "call_1" },
      { type: "function_call_output", call_id: "call_1" },
    ]);
    // Providers of plain chat completions would refuse what they do not know.
    expect(
      JSON.stringify(translatedBody(messagesToChat, { ...asked, messages }, "m")),
    ).not.toContain("thinking");
  });
});

const word = fc.string({ minLength: 1, maxLength: 20 });
const id = fc.stringMatching(/^call_[a-z0-9]{1,8}$/);
const toolCalls = fc.uniqueArray(
  fc.record({
    id,
    type: fc.constant("function"),
    function: fc.record({
      name: fc.constantFrom("f", "g"),
      arguments: fc.json().filter((json) => json !== "null"),
    }),
  }),
  { minLength: 1, maxLength: 3, selector: (one) => one.id },
);
const imagePart = fc.record({
  type: fc.constant("image_url"),
  image_url: fc.record({
    url: fc.constant(picture),
    detail: fc.constantFrom("auto", "low", "high"),
  }),
});
const filePart = fc.record({
  type: fc.constant("file"),
  file: fc.record({ filename: word, file_data: fc.constant("data:application/pdf;base64,aGk=") }),
});
const audioPart = fc.record({
  type: fc.constant("input_audio"),
  input_audio: fc.record({ data: fc.constant("aGk="), format: fc.constantFrom("wav", "mp3") }),
});
const textPart = fc.record({ type: fc.constant("text"), text: word });
/** With something in it that is no text, so that it stays a list. */
const mixedParts = fc
  .tuple(fc.array(textPart, { maxLength: 2 }), fc.oneof(imagePart, filePart, audioPart))
  .map(([texts, other]) => [...texts, other]);
const userTurn = fc.oneof(word, mixedParts).map((content) => [user(content)]);
const modelTurn = fc.oneof(
  word.map((content) => [{ role: "assistant", content }]),
  fc
    .tuple(fc.option(word), toolCalls, fc.array(word, { minLength: 3, maxLength: 3 }))
    .map(([content, tool_calls, results]) => [
      { role: "assistant", content, tool_calls },
      ...tool_calls.map((one, index) => ({
        role: "tool",
        tool_call_id: one.id,
        content: results[index] ?? "",
      })),
    ]),
);
const hasOwnIds = (messages: readonly object[]): boolean => {
  const ids = messages
    .flatMap((one) => records((one as JsonRecord).tool_calls))
    .map((one) => one.id);
  return new Set(ids).size === ids.length;
};
const conversation = fc
  .tuple(fc.option(word), fc.array(fc.tuple(userTurn, modelTurn), { maxLength: 3 }), userTurn)
  .map(([system, turns, last]) => [
    ...(system === null ? [] : [{ role: "system", content: system }]),
    ...turns.flat(2),
    ...last,
  ])
  // Responses has one id for one call, whichever turn it is of.
  .filter((messages) => hasOwnIds(messages));
const parameters = fc.record({
  type: fc.constant("object"),
  properties: fc.dictionary(fc.constantFrom("a", "b"), fc.constant({ type: "string" })),
});
const aTool = fc.record({
  type: fc.constant("function"),
  function: fc.record({
    name: fc.constantFrom("f", "g"),
    description: word,
    parameters,
    // OpenAI refuses a strict tool whose schema is open.
    strict: fc.constant(false),
  }),
});
const chatBody = fc.record(
  {
    model: fc.constantFrom("gpt-5", "some-model"),
    messages: conversation,
    max_completion_tokens: fc.integer({ min: 16, max: 100_000 }),
    stream: fc.constant(true),
    tools: fc.uniqueArray(aTool, {
      minLength: 1,
      maxLength: 3,
      selector: (tool) => tool.function.name,
    }),
    reasoning_effort: fc.constantFrom("minimal", "low", "medium", "high"),
    response_format: fc.record({
      type: fc.constant("json_schema"),
      json_schema: fc.record({
        name: word,
        description: word,
        schema: parameters,
        strict: fc.constant(false),
      }),
    }),
    user: word,
  },
  { requiredKeys: ["model", "messages"] },
);
const choice = fc.record(
  {
    tool_choice: fc.constantFrom("auto", "none", "required", {
      type: "function",
      function: { name: "f" },
    }),
    parallel_tool_calls: fc.boolean(),
  },
  { requiredKeys: [] },
);

describe("a round trip", () => {
  test("keeps a conversation unchanged", () => {
    fc.assert(
      fc.property(chatBody, choice, (json, chosen) => {
        const {
          max_completion_tokens: limit,
          stream,
          ...common
        } = json.tools ? { ...json, ...chosen } : json;
        const back = translatedBody(
          responsesToChat,
          translatedBody(chatToResponses, { ...json, ...common }, json.model),
          json.model,
        );
        expect(back).toEqual({
          ...common,
          ...(limit !== undefined && {
            [json.model === "gpt-5" ? "max_completion_tokens" : "max_tokens"]: limit,
          }),
          ...(stream && { stream, stream_options: { include_usage: true } }),
        });
        expect(droppedFields(chatToResponses, { ...json, ...common }, json.model)).toEqual([]);
      }),
    );
  });

  const answer = fc.record({
    reasoning_content: fc.option(word, { nil: undefined }),
    content: fc.option(word, { nil: undefined }),
    refusal: fc.option(word, { nil: undefined }),
    tool_calls: fc.option(toolCalls, { nil: undefined }),
    reason: fc.constantFrom("stop", "length", "content_filter"),
    prompt: fc.integer({ min: 1, max: 1_000 }),
    cached: fc.integer({ min: 0, max: 1_000 }),
    output: fc.integer({ min: 1, max: 1_000 }),
    hidden: fc.integer({ min: 1, max: 1_000 }),
  });
  const responsesCall = callOf(responses, { model: "m", input: "hi" });

  test("keeps a reply unchanged, streamed and not", () => {
    fc.assert(
      fc.property(answer, ({ reason, prompt, cached, output, hidden, ...fields }) => {
        const finish_reason = reason === "stop" && fields.tool_calls ? "tool_calls" : reason;
        const counted = {
          prompt_tokens: prompt,
          completion_tokens: output,
          total_tokens: prompt + output,
          prompt_tokens_details: { cached_tokens: Math.min(cached, prompt) },
          completion_tokens_details: { reasoning_tokens: Math.min(hidden, output) },
        };
        const there = responsesToChat.createReplyTranslator(responsesCall);
        const choices = [{ index: 0, message: { role: "assistant", ...fields }, finish_reason }];
        const whole = chatToResponses
          .createReplyTranslator(chatCall)
          .translateReply(
            there.translateReply({ id: "chatcmpl-1", choices, usage: counted }) as JsonRecord,
          ) as JsonRecord & Pick<Chunk, "choices">;
        expect(whole).toMatchObject({
          id: "chatcmpl-1",
          usage: counted,
          choices: [{ finish_reason }],
        });

        const sent = [
          { delta: { role: "assistant", content: "" } },
          ...(["reasoning_content", "content", "refusal"] as const).flatMap((member) =>
            Array.from(fields[member] ?? "", (letter) => ({ delta: { [member]: letter } })),
          ),
          ...(fields.tool_calls ?? []).map((one, index) => ({
            delta: { tool_calls: [{ index, ...one }] },
          })),
          { delta: {}, finish_reason },
        ].map(
          (one) =>
            `data: ${JSON.stringify({ id: "chatcmpl-1", choices: [{ index: 0, ...one }] })}\n\n`,
        );
        const inResponses = responsesToChat.createReplyTranslator(responsesCall);
        const events = sent.map((one) => inResponses.translateEvent(one)).join("");
        inResponses.translateEvent(`data: ${JSON.stringify({ choices: [], usage: counted })}\n\n`);
        const chunks = chunksOf(translated([Buffer.from(events + inResponses.finish())]));
        const deltas = chunks.flatMap((chunk) => chunk.choices.map(({ delta }) => delta));
        const joined = (member: string) =>
          deltas.map((delta) => (delta[member] as string | undefined) ?? "").join("");

        const message = (whole.choices[0] as unknown as { message: JsonRecord }).message;
        for (const member of ["reasoning_content", "content", "refusal"] as const) {
          expect(message[member] ?? "").toBe(fields[member] ?? "");
          expect(joined(member)).toBe(fields[member] ?? "");
        }
        expect(message.tool_calls).toEqual(fields.tool_calls);
        const streamed = deltas.flatMap(
          ({ tool_calls }) =>
            (tool_calls ?? []) as { index: number; id?: string; function: JsonRecord }[],
        );
        const wanted = (fields.tool_calls ?? []).map((one, index) => [
          one.id,
          one.function.name,
          one.function.arguments,
          index,
        ]);
        const got = streamed
          .filter((one) => one.id)
          .map(({ id: callId, index, function: called }) => {
            const written = streamed
              .filter((one) => one.index === index)
              .map((one) => one.function.arguments);
            return [callId, called.name, written.join(""), index];
          });
        expect(got).toEqual(wanted);
        expect(
          chunks.flatMap((chunk) => chunk.choices.flatMap((one) => one.finish_reason ?? [])),
        ).toEqual([finish_reason]);
        expect(chunks.at(-1)).toMatchObject({ choices: [], usage: counted });
      }),
    );
  });
});

test("hostile bodies are translated without an error", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const messages = [
        user(one),
        { role: "assistant", content: one, tool_calls: other },
        { role: "tool", content: other },
      ];
      const json = {
        model: "m",
        messages,
        tools: one,
        tool_choice: other,
        response_format: one,
        reasoning: other,
      };
      expect(translatedBody(chatToResponses, json, "m")).toMatchObject({ model: "m" });
      expect(droppedFields(chatToResponses, json, "m")).toBeInstanceOf(Array);
      const answers = chatToResponses.createReplyTranslator(chatCall);
      expect(
        answers.translateReply({ output: one, usage: other, incomplete_details: one }),
      ).toBeTypeOf("object");
      for (const type of [
        "response.created",
        "response.output_item.added",
        "response.output_text.delta",
        "response.completed",
      ]) {
        expect(
          answers.translateEvent(
            event(type, { delta: one, item: other, response: one, output_index: one }),
          ),
        ).toBeTypeOf("string");
      }
    }),
  );
});
