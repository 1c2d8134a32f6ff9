import { converseAnswer } from "@tollgate/tests/support/bedrock-fixture.ts";
import { callOf, chunksIn, oddValues } from "@tollgate/tests/support/provider-adapter.ts";
import { droppedFields, translatedBody } from "@tollgate/tests/support/translate-request.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bedrockConverse } from "../formats/bedrock-converse.ts";
import { type JsonRecord, records } from "../wire/json-parts.ts";
import { chatToConverse } from "./chat-to-converse.ts";

const user = (content: unknown) => ({ role: "user", content });
const bodyOf = (json: object, model = "amazon.nova-pro-v1:0") =>
  translatedBody(chatToConverse, { model, messages: [user("hi")], ...json }, model);
const toolCall = (id: string, name: string, args = '{"a":1}') => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const weather = {
  type: "function",
  function: { name: "weather", description: "", parameters: { type: "object" } },
};

describe("a chat request for Converse", () => {
  test("separates system prompts, and sends results of one turn together", () => {
    const messages = [
      {
        role: "system",
        content: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
      },
      user("go"),
      {
        role: "assistant",
        content: "yes",
        tool_calls: [toolCall("1", "f"), toolCall("functions.g:2", "g", "not JSON")],
      },
      { role: "tool", tool_call_id: "1", content: "sun" },
      {
        role: "tool",
        tool_call_id: "functions.g:2",
        content: [{ type: "text", text: "rain", cache_control: { type: "ephemeral" } }],
      },
      user("and now"),
      { role: "developer", content: "Be brief." },
    ];
    expect(bodyOf({ messages })).toMatchObject({
      system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }, { text: "Be brief." }],
      messages: [
        { role: "user", content: [{ text: "go" }] },
        {
          role: "assistant",
          content: [
            { text: "yes" },
            { toolUse: { toolUseId: "1", name: "f", input: { a: 1 } } },
            {
              toolUse: {
                toolUseId: expect.stringMatching(/^call_[0-9a-f]{32}$/),
                name: "g",
                input: {},
              },
            },
          ],
        },
        {
          role: "user",
          content: [
            { toolResult: { toolUseId: "1", content: [{ text: "sun" }] } },
            {
              toolResult: {
                toolUseId: expect.stringMatching(/^call_[0-9a-f]{32}$/),
                content: [{ text: "rain" }],
              },
            },
            { cachePoint: { type: "default" } },
            { text: "and now" },
          ],
        },
      ],
    });
  });

  test("carries images, documents under unique names, and cache marks", () => {
    const pdf = {
      filename: "Report, 2026_final.pdf",
      file_data: "data:application/pdf;base64,aGk=",
    };
    const content = [
      { type: "text", text: "look", cache_control: { type: "ephemeral", ttl: "1h" } },
      { type: "text", text: "  " },
      { type: "image_url", image_url: { url: "data:image/jpg;base64,aGk=" } },
      { type: "image_url", image_url: { url: "s3://bucket/a.png" } },
      { type: "image_url", image_url: { url: "https://pictures.example/a.png" } },
      { type: "file", file: pdf },
      { type: "file", file: pdf },
      { type: "file", file: { file_data: "data:text/csv;base64,aGk=" } },
      { type: "file", file: { file_id: "file-1" } },
      { type: "input_audio", input_audio: { data: "aGk=", format: "wav" } },
    ];
    const document = (format: string, name: string) => ({
      document: { format, name, source: { bytes: "aGk=" } },
    });
    expect(bodyOf({ messages: [user(content)] }).messages).toEqual([
      {
        role: "user",
        content: [
          { text: "look" },
          { cachePoint: { type: "default", ttl: "1h" } },
          { image: { format: "jpeg", source: { bytes: "aGk=" } } },
          { image: { format: "png", source: { s3Location: { uri: "s3://bucket/a.png" } } } },
          { text: "https://pictures.example/a.png" },
          document("pdf", "Report 2026 final"),
          document("pdf", "Report 2026 final (2)"),
          document("csv", "document"),
        ],
      },
    ]);
  });

  test("translates the response format", () => {
    const json = {
      max_completion_tokens: 100,
      max_tokens: 5,
      temperature: 1.7,
      top_p: 0.5,
      stop: "end",
    };
    expect(bodyOf(json)).toMatchObject({
      inferenceConfig: { maxTokens: 100, temperature: 1, topP: 0.5, stopSequences: ["end"] },
    });
    expect(Object.keys(bodyOf({}))).toEqual(["messages"]);
    const schema = {
      type: "object",
      properties: { a: { type: "number" } },
      additionalProperties: false,
    };
    const response_format = {
      type: "json_schema",
      json_schema: { name: "n", schema, strict: true },
    };
    expect(bodyOf({ response_format }).outputConfig).toEqual({
      textFormat: {
        type: "json_schema",
        structure: { jsonSchema: { schema: JSON.stringify(schema), name: "n" } },
      },
    });
  });

  test("sends an effort to OpenAI's models only", () => {
    const reasoning_effort = "low";
    expect(bodyOf({ reasoning_effort }, "openai.gpt-oss-120b-1:0")).toMatchObject({
      additionalModelRequestFields: { reasoning_effort },
    });
    expect(bodyOf({ reasoning_effort })).not.toHaveProperty("additionalModelRequestFields");
  });

  test("sends signed reasoning back, but not to models that refuse it", () => {
    const thinking_blocks = [
      { type: "thinking", thinking: "hm", signature: "c2ln" },
      { type: "redacted_thinking", data: "c2VjcmV0" },
    ];
    const messages = [
      user("why"),
      { role: "assistant", content: "so", thinking_blocks },
      user("really"),
    ];
    const second = (model: string) => records(bodyOf({ messages }, model).messages)[1]?.content;
    const thoughts = [
      { reasoningContent: { reasoningText: { text: "hm", signature: "c2ln" } } },
      { reasoningContent: { redactedContent: "c2VjcmV0" } },
    ];
    for (const model of [
      "my-claude-4.5",
      "arn:aws:bedrock:eu-west-1:1:application-inference-profile/abc",
    ]) {
      expect(second(model), model).toEqual([...thoughts, { text: "so" }]);
    }
    for (const model of [
      "openai.gpt-oss-20b-1:0",
      "us.deepseek.r1-v1:0",
      "arn:aws:bedrock:eu-west-1::foundation-model/zai.glm-4",
    ]) {
      expect(second(model), model).toEqual([{ text: "so" }]);
      expect(droppedFields(chatToConverse, { model, messages }, model), model).toEqual([
        "messages.thinking_blocks",
      ]);
    }
  });

  test.each([
    [{ tool_choice: "required" }, { any: {} }],
    [
      { tool_choice: { type: "function", function: { name: "weather" } } },
      { tool: { name: "weather" } },
    ],
    [{ tool_choice: "auto" }, undefined],
    [{}, undefined],
  ])("with %j chooses tools by %j", (json, wanted) => {
    const tools = [weather, { type: "custom", custom: { name: "c" } }];
    const { toolConfig } = bodyOf({ tools, ...json }) as { toolConfig: JsonRecord };
    expect(toolConfig.toolChoice).toEqual(wanted);
    expect(toolConfig.tools).toEqual([
      { toolSpec: { name: "weather", inputSchema: { json: { type: "object" } } } },
    ]);
  });

  test("that may call no tool, or has none, still defines the tools that were called", () => {
    const called = [
      user("go"),
      { role: "assistant", tool_calls: [toolCall("1", "f")] },
      { role: "tool", tool_call_id: "1" },
    ];
    expect(bodyOf({ tools: [weather], tool_choice: "none" })).not.toHaveProperty("toolConfig");
    const described = { toolSpec: { name: "weather", inputSchema: { json: { type: "object" } } } };
    expect(bodyOf({ messages: called, tools: [weather], tool_choice: "none" }).toolConfig).toEqual({
      tools: [described],
    });
    const guessed = {
      toolSpec: { name: "f", inputSchema: { json: { type: "object", properties: {} } } },
    };
    expect(bodyOf({ messages: called }).toolConfig).toEqual({ tools: [guessed] });
  });

  test("reports dropped fields", () => {
    const json = {
      seed: 1,
      n: 2,
      logit_bias: {},
      user: "u",
      parallel_tool_calls: false,
      temperature: 0,
      max_tokens: 4,
    };
    expect(
      droppedFields(chatToConverse, { model: "m", messages: [user("hi")], ...json }, "m"),
    ).toEqual(["logit_bias", "n", "parallel_tool_calls", "seed", "user"]);
  });

  test("is translated without an error from any nonsense", () => {
    const odd = fc.constantFrom(...oddValues);
    const members = [
      "messages",
      "tools",
      "tool_choice",
      "response_format",
      "stop",
      "reasoning_effort",
    ];
    const message = fc.record({ role: odd, content: odd, tool_calls: odd, thinking_blocks: odd });
    fc.assert(
      fc.property(
        fc.constantFrom(...members),
        odd,
        fc.array(message, { maxLength: 3 }),
        (member, value, messages) => {
          JSON.stringify(
            translatedBody(chatToConverse, { model: "m", messages, [member]: value }, "m"),
          );
        },
      ),
    );
  });
});

describe("a reply of Converse", () => {
  const whole = (json: JsonRecord) =>
    chatToConverse.createReplyTranslator(callOf()).translateReply(json) as {
      choices: JsonRecord[];
      usage?: JsonRecord;
    };

  test("becomes reasoning with its signature, text, and calls", () => {
    expect(whole(converseAnswer)).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-\w+$/),
      object: "chat.completion",
      model: "m",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "I will look.",
            reasoning_content: "The user wants weather.",
            thinking_blocks: [
              { type: "thinking", thinking: "The user wants weather.", signature: "c2lnbmVk" },
            ],
            tool_calls: [
              {
                id: "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q",
                type: "function",
                function: { name: "weather", arguments: '{"city":"Zürich"}' },
              },
              { id: "tooluse_bSd3LDHR", function: { name: "now", arguments: "{}" } },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: 33, completion_tokens: 17, total_tokens: 50 },
    });
    expect(bedrockConverse.readReply(converseAnswer)).toEqual({
      text: 'The user wants weather.I will look.{"city":"Zürich"}{}',
      usage: expect.objectContaining({
        usage: expect.objectContaining({
          input: 21,
          cache_read: 8,
          cache_write_5m: 4,
          cache_write_1h: 0,
          output: 17,
        }),
      }),
    });
  });

  test("sent back, is unchanged", () => {
    const [choice] = whole(converseAnswer).choices;
    const messages = [user("go"), choice?.message];
    const { message } = converseAnswer.output as { message: JsonRecord };
    expect(records(bodyOf({ messages }, "mine").messages)[1]).toEqual(message);
  });

  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["guardrail_intervened", "content_filter"],
    ["content_filtered", "content_filter"],
    ["something new", "stop"],
  ])("that ends with %s has the reason %s", (stopReason, finish_reason) => {
    const output = { message: { role: "assistant", content: [] } };
    expect(whole({ output, stopReason })).toMatchObject({
      choices: [{ finish_reason, message: { content: "" } }],
    });
    const answers = chatToConverse.createReplyTranslator(callOf());
    const clientEvents = answers.translateEvent(
      `data: ${JSON.stringify({ messageStop: { stopReason } })}\n\n`,
    );
    expect(chunksIn(clientEvents).at(-1)?.choices[0]?.finish_reason).toBe(finish_reason);
  });

  test("has cited text in its text, and encrypted reasoning that may be sent back", () => {
    const content = [
      { reasoningContent: { redactedContent: "c2VjcmV0" } },
      { citationsContent: { content: [{ text: "cited" }], citations: [{}] } },
    ];
    const output = { message: { role: "assistant", content } };
    expect(whole({ output, stopReason: "end_turn" }).choices[0]?.message).toEqual({
      role: "assistant",
      content: "cited",
      thinking_blocks: [{ type: "redacted_thinking", data: "c2VjcmV0" }],
    });
  });

  test("counts cache writes of one hour separately", () => {
    const usage = {
      inputTokens: 1,
      outputTokens: 2,
      cacheWriteInputTokens: 10,
      cacheDetails: [
        { inputTokens: 4, ttl: "1h" },
        { inputTokens: 6, ttl: "5m" },
      ],
    };
    expect(
      bedrockConverse.readReply({ output: { message: { content: [] } }, usage })?.usage?.usage,
    ).toMatchObject({
      cache_write_5m: 6,
      cache_write_1h: 4,
    });
    expect(
      bedrockConverse.readReply({ output: { message: { content: [] } }, usage: {} })?.usage,
    ).toBeUndefined();
  });

  test.each(oddValues.map((value) => [value]))("is none where %j stands in its place", (value) => {
    for (const json of [{ output: value }, { output: { message: value } }]) {
      expect(bedrockConverse.readReply(json)).toBeUndefined();
    }
    const odd = {
      output: { message: { content: [value, { toolUse: value }, { reasoningContent: value }] } },
      usage: value,
    };
    bedrockConverse.readReply(odd);
    whole(odd);
  });
});
