import { translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import type { ClientFormat, RelayCall } from "../formats/api-format.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import { chatToMessages } from "./chat-to-messages.ts";
import { messagesToChat } from "./messages-to-chat.ts";

const user = (content: unknown) => ({ role: "user", content });
const callOf = (
  format: ClientFormat,
  json: object = { model: "m", max_tokens: 9, messages: [user("hi")] },
): RelayCall => ({
  ...format.parseRequest(json, false),
  client: format,
  upstream: format.upstream,
  headers: [],
  body: Buffer.from(JSON.stringify(json)),
});
/** `dataOf` gives what a reader of the stream sees: the data of each event. */
const dataOf = (stream: string): Record<string, unknown>[] =>
  stream
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)));
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const image = "data:image/png;base64,aGk=";

describe("a chat request for Anthropic", () => {
  const body = (json: object) => translatedBody(chatToMessages, { model: "m", ...json }, "m");

  test("separates system prompts, and its turns alternate", () => {
    const messages = [
      { role: "system", content: "Be kind." },
      user("one"),
      user("two"),
      {
        role: "assistant",
        content: "yes",
        tool_calls: [{ id: "t1", function: { name: "f", arguments: '{"a":1}' } }],
      },
      { role: "tool", tool_call_id: "t1", content: "done" },
      user("go on"),
      { role: "developer", content: "Be brief." },
    ];
    expect(body({ messages })).toMatchObject({
      system: [
        { type: "text", text: "Be kind." },
        { type: "text", text: "Be brief." },
      ],
      messages: [
        { role: "user", content: [{ text: "one" }, { text: "two" }] },
        {
          role: "assistant",
          content: [{ text: "yes" }, { type: "tool_use", id: "t1", name: "f", input: { a: 1 } }],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: [{ text: "done" }] },
            { text: "go on" },
          ],
        },
      ],
    });
  });

  test("carries images, files and cache marks", () => {
    const content = [
      { type: "text", text: "look", cache_control: { type: "ephemeral" } },
      { type: "image_url", image_url: { url: image } },
      { type: "image_url", image_url: { url: "https://pictures.example/a.png" } },
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,aGk=" } },
    ];
    expect(body({ messages: [user(content)] }).messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "look", cache_control: { type: "ephemeral" } },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
          { type: "image", source: { type: "url", url: "https://pictures.example/a.png" } },
          {
            type: "document",
            source: { type: "base64", media_type: "application/pdf", data: "aGk=" },
            title: "a.pdf",
          },
        ],
      },
    ]);
  });

  test.each([
    "claude-sonnet-5",
    "us.anthropic.claude-opus-4-7",
    "claude-opus-4-8@20260528",
    "claude-fable-5-1",
  ])(
    "asks %s for an effort in place of a budget, and for no temperature of the client's",
    (model) => {
      const sent = (more: object) =>
        translatedBody(chatToMessages, { model, messages: [user("hi")], ...more }, model);
      expect(sent({ max_tokens: 100, reasoning_effort: "high", temperature: 0, top_k: 3 })).toEqual(
        {
          ...{
            model,
            max_tokens: 16_484,
            messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
          },
          ...{
            thinking: { type: "adaptive", display: "summarized" },
            output_config: { effort: "high" },
          },
        },
      );
      expect(sent({ reasoning_effort: "minimal" })).toMatchObject({
        output_config: { effort: "low" },
      });
      for (const quiet of [sent({ temperature: 0.2 }), sent({ top_p: 0.5 })])
        for (const member of ["thinking", "output_config", "temperature", "top_p"])
          expect(quiet).not.toHaveProperty(member);
      const { thinking, output_config } = sent({ reasoning_effort: "none" });
      // Only Sonnet thinks unasked and can be told not to; Opus 4.7 and 4.8 do not think unasked,
      // and Fable always does.
      expect(thinking).toEqual(model.includes("sonnet") ? { type: "disabled" } : undefined);
      expect(output_config).toEqual(model.includes("fable") ? { effort: "low" } : undefined);
    },
  );
  test("asks claude-opus-4-6 for an effort that it has", () => {
    const model = "claude-opus-4-6";
    for (const [asked, effort] of [
      ["medium", "medium"],
      ["xhigh", "high"],
    ])
      expect(
        translatedBody(
          chatToMessages,
          { model, messages: [user("hi")], reasoning_effort: asked },
          model,
        ),
      ).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort } });
  });
  test.each(["claude-haiku-4-5-20251001", "claude-sonnet-4-5-20250929", "claude-3-5-sonnet"])(
    "gives %s a budget",
    (model) => {
      const asked = { model, messages: [user("hi")], reasoning_effort: "low" };
      expect(translatedBody(chatToMessages, asked, model).thinking).toEqual({
        type: "enabled",
        budget_tokens: 1_024,
      });
    },
  );

  test("sends reasoning back with its signatures", () => {
    const thinking_blocks = [{ type: "thinking", thinking: "hm", signature: "c2ln" }];
    const messages = [
      user("why"),
      { role: "assistant", content: "so", thinking_blocks },
      user("really"),
    ];
    expect(body({ messages }).messages).toMatchObject([
      {},
      { content: [thinking_blocks[0], { text: "so" }] },
      {},
    ]);
  });

  test.each([
    [{ tool_choice: "required" }, { type: "any" }],
    [{ tool_choice: "none" }, { type: "none" }],
    [{ tool_choice: "auto" }, undefined],
    [{ tool_choice: { type: "function", function: { name: "f" } } }, { type: "tool", name: "f" }],
    [{ parallel_tool_calls: false }, { type: "auto", disable_parallel_tool_use: true }],
  ])("with %j chooses tools by %j", (json, wanted) => {
    const tools = [{ type: "function", function: { name: "f" } }];
    expect(body({ messages: [user("hi")], tools, ...json }).tool_choice).toEqual(wanted);
  });

  test("always has a limit, with a budget added for reasoning, and no temperature then", () => {
    expect(body({ messages: [user("hi")] })).toMatchObject({ max_tokens: 8_192 });
    expect(
      body({ messages: [user("hi")], max_completion_tokens: 100, temperature: 1.7 }),
    ).toMatchObject({
      max_tokens: 100,
      temperature: 1,
    });
    const thinker = body({
      messages: [user("hi")],
      max_tokens: 100,
      reasoning_effort: "medium",
      temperature: 0,
    });
    expect(thinker).toMatchObject({
      max_tokens: 4_196,
      thinking: { type: "enabled", budget_tokens: 4_096 },
    });
    expect(thinker).not.toHaveProperty("temperature");
  });

  test("does not reason after calls whose reasoning is missing: the provider would refuse it", () => {
    const thinking_blocks = [{ type: "thinking", thinking: "hm", signature: "c2ln" }];
    const called = {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "t", function: { name: "f" } }],
    };
    const result = { role: "tool", tool_call_id: "t", content: "done" };
    const asked = (turn: object) =>
      body({
        messages: [user("hi"), turn, result],
        reasoning_effort: "low",
        max_tokens: 9,
        temperature: 0,
      });
    expect(asked(called)).not.toHaveProperty("thinking");
    expect(asked(called)).toMatchObject({ max_tokens: 9, temperature: 0 });
    expect(asked({ ...called, thinking_blocks })).toMatchObject({ thinking: { type: "enabled" } });
  });

  test("returns reasoning, text and parallel tool calls in order", () => {
    const events = chatToMessages.createReplyTranslator(callOf(chatCompletions));
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
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "so" } },
      {
        type: "content_block_start",
        index: 2,
        content_block: { type: "tool_use", id: "a", name: "f" },
      },
      {
        type: "content_block_delta",
        index: 2,
        delta: { type: "input_json_delta", partial_json: "{}" },
      },
      {
        type: "content_block_start",
        index: 3,
        content_block: { type: "tool_use", id: "b", name: "g" },
      },
      {
        type: "content_block_delta",
        index: 3,
        delta: { type: "input_json_delta", partial_json: "[]" },
      },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
    ];
    const chunks = dataOf(stream.map((data) => events.translateEvent(event(data))).join(""));
    const choices = chunks.flatMap(
      ({ choices }) => choices as { delta: object; finish_reason: string | null }[],
    );
    expect(choices.map(({ delta }) => delta)).toEqual([
      { role: "assistant", content: "" },
      { reasoning_content: "hm" },
      { thinking_blocks: [{ index: 0, type: "thinking", thinking: "hm", signature: "c2ln" }] },
      { content: "so" },
      {
        tool_calls: [
          { index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: "{}" } }] },
      {
        tool_calls: [
          { index: 1, id: "b", type: "function", function: { name: "g", arguments: "" } },
        ],
      },
      { tool_calls: [{ index: 1, function: { arguments: "[]" } }] },
      {},
    ]);
    expect(choices.at(-1)?.finish_reason).toBe("tool_calls");
    expect(events.finish()).toBe("data: [DONE]\n\n");
  });

  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["refusal", "content_filter"],
    ["something new", "stop"],
  ])("%s means %s", (stop_reason, finish_reason) => {
    const whole = chatToMessages
      .createReplyTranslator(callOf(chatCompletions))
      .translateReply({ id: "1", content: [], stop_reason });
    expect(whole).toMatchObject({ choices: [{ finish_reason, message: { content: "" } }] });
  });
});

describe("messages for chat completions", () => {
  const body = (json: object, model = "m") =>
    translatedBody(messagesToChat, { model, max_tokens: 50, ...json }, model);

  test("put tool results before the user's content", () => {
    const messages = [
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "tool_use", id: "t", name: "f", input: { a: 1 } },
        ],
      },
      user([
        { type: "text", text: "and now" },
        { type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "done" }] },
      ]),
    ];
    expect(body({ system: [{ type: "text", text: "Be kind." }], messages }).messages).toEqual([
      { role: "system", content: "Be kind." },
      {
        role: "assistant",
        tool_calls: [{ id: "t", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
      },
      { role: "tool", tool_call_id: "t", content: "done" },
      { role: "user", content: "and now" },
    ]);
  });

  test("carry images, also those of tool results", () => {
    const source = { type: "base64", media_type: "image/png", data: "aGk=" };
    const shown = { type: "tool_result", tool_use_id: "t", content: [{ type: "image", source }] };
    const messages = [
      user([
        { type: "image", source },
        { type: "text", text: "look" },
      ]),
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "look", input: {} }] },
      user([shown]),
    ];
    const tool_calls = [{ id: "t", type: "function", function: { name: "look", arguments: "{}" } }];
    const picture = { type: "image_url", image_url: { url: image } };
    expect(body({ messages }).messages).toEqual([
      user([picture, { type: "text", text: "look" }]),
      { role: "assistant", tool_calls },
      { role: "tool", tool_call_id: "t", content: "" },
      user([picture]),
    ]);
  });

  test("give reasoning models their limit under its newer name, and an effort", () => {
    const thinking = { type: "enabled", budget_tokens: 10_000 };
    const asked = { messages: [user("hi")], temperature: 0, thinking };
    expect(body(asked, "gpt-4o")).toMatchObject({ max_tokens: 50, temperature: 0 });
    expect(body(asked, "gpt-4o")).not.toHaveProperty("reasoning_effort");
    expect(body(asked, "gpt-5-mini")).toMatchObject({
      max_completion_tokens: 50,
      reasoning_effort: "high",
    });
    expect(body(asked, "o4-mini")).not.toHaveProperty("temperature");
  });

  test("drop tools that the provider would run itself", () => {
    const tools = [
      { type: "web_search_20250305", name: "web_search" },
      { name: "f", input_schema: { type: "object" } },
    ];
    expect(body({ messages: [user("hi")], tools }).tools).toEqual([
      { type: "function", function: { name: "f", parameters: { type: "object" } } },
    ]);
  });

  test("return one block after the other, whatever arrives", () => {
    const events = messagesToChat.createReplyTranslator(callOf(anthropicMessages));
    const delta = (clientEvents: object, more: object = {}) =>
      event({ id: "1", choices: [{ index: 0, delta: clientEvents, ...more }] });
    const call = (index: number, more: object) => delta({ tool_calls: [{ index, ...more }] });
    const stream = [
      delta({ role: "assistant", content: "" }),
      delta({ reasoning_content: "hm" }),
      delta({ content: "so" }),
      call(0, { id: "a", function: { name: "f", arguments: "" } }),
      call(0, { function: { arguments: "{}" } }),
      call(1, { id: "b", function: { name: "g", arguments: "[]" } }),
      delta({}, { finish_reason: "tool_calls" }),
      event({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 9 } }),
      "data: [DONE]\n\n",
    ];
    const clientEvents = dataOf(
      stream.map((one) => events.translateEvent(one)).join("") + events.finish(),
    );
    expect(
      clientEvents.map(({ type, index }) => (index === undefined ? type : `${type} ${index}`)),
    ).toEqual([
      "message_start",
      "content_block_start 0",
      "content_block_delta 0",
      "content_block_stop 0",
      "content_block_start 1",
      "content_block_delta 1",
      "content_block_stop 1",
      "content_block_start 2",
      "content_block_delta 2",
      "content_block_stop 2",
      "content_block_start 3",
      "content_block_delta 3",
      "content_block_stop 3",
      "message_delta",
      "message_stop",
    ]);
    expect(clientEvents.at(-2)).toMatchObject({
      delta: { stop_reason: "tool_use" },
      usage: { input_tokens: 5, output_tokens: 9 },
    });
  });

  test("without any event are still a whole message", () => {
    const clientEvents = dataOf(
      messagesToChat.createReplyTranslator(callOf(anthropicMessages)).finish(),
    );
    expect(clientEvents.map(({ type }) => type)).toEqual([
      "message_start",
      "message_delta",
      "message_stop",
    ]);
  });
});

test.each([chatToMessages, messagesToChat])(
  "hostile bodies are translated without an error",
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
      [{ type: "tool_use" }],
      [{ type: "image" }],
    ];
    for (const value of odd) {
      const body = {
        model: "m",
        messages: [user(value), { role: "assistant", content: value, tool_calls: value }],
        tools: value,
        tool_choice: value,
        system: value,
      };
      expect(translatedBody(translation, body, "m")).toMatchObject({ model: "m" });
      const answers = translation.createReplyTranslator(callOf(chatCompletions));
      expect(answers.translateReply({ choices: value, content: value, usage: value })).toBeTypeOf(
        "object",
      );
      expect(
        answers.translateEvent(
          event({ type: "content_block_delta", delta: value, choices: value }),
        ),
      ).toBeTypeOf("string");
    }
  },
);
