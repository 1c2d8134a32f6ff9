import { translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import type { RelayCall } from "../formats/api-format.ts";
import { gemini } from "../formats/gemini.ts";
import { geminiToChat } from "./gemini-to-chat.ts";

const contents = [{ role: "user", parts: [{ text: "hi" }] }];
const call: RelayCall = {
  ...gemini.parseRequest({ contents }, false),
  model: "m",
  client: gemini,
  upstream: gemini.upstream,
  headers: [],
  body: Buffer.from(JSON.stringify({ contents })),
};
const bodyOf = (json: object, model = "m") =>
  translatedBody(geminiToChat, { contents, ...json }, model);
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const dataOf = (stream: string) =>
  stream
    .split("\n\n")
    .filter((text) => text !== "")
    .map((text) => JSON.parse(text.slice(6)));

describe("Gemini's request for chat completions", () => {
  test("is a conversation whose results match their calls", () => {
    const contents = [
      { role: "user", parts: [{ text: "go" }] },
      {
        role: "model",
        parts: [
          { text: "hm", thought: true },
          { text: "yes" },
          { functionCall: { name: "f", args: { a: 1 } } },
          { functionCall: { name: "f" } },
          { functionCall: { id: "own", name: "g" } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "f", response: { first: 1 } } },
          { functionResponse: { name: "f", response: { second: 2 } } },
          { functionResponse: { id: "own", name: "g", response: { third: 3 } } },
          { text: "and now" },
        ],
      },
    ];
    const systemInstruction = { parts: [{ text: "Be kind." }] };
    const toolCall = (id: string, name: string, args: string) => ({
      id,
      type: "function",
      function: { name, arguments: args },
    });
    expect(bodyOf({ contents, systemInstruction }).messages).toEqual([
      { role: "system", content: "Be kind." },
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: "yes",
        tool_calls: [
          toolCall("call_1", "f", '{"a":1}'),
          toolCall("call_2", "f", "{}"),
          toolCall("own", "g", "{}"),
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: '{"first":1}' },
      { role: "tool", tool_call_id: "call_2", content: '{"second":2}' },
      { role: "tool", tool_call_id: "own", content: '{"third":3}' },
      { role: "user", content: "and now" },
    ]);
  });

  test("carries images, audio and files", () => {
    const parts = [
      { text: "look" },
      { inlineData: { mimeType: "image/png", data: "aGk=" } },
      { inline_data: { mime_type: "audio/mpeg", data: "aGk=" } },
      { inlineData: { mimeType: "application/pdf", data: "aGk=" } },
      { fileData: { fileUri: "https://pictures.example/a.png" } },
    ];
    expect(bodyOf({ contents: [{ parts }] }).messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
          { type: "input_audio", input_audio: { data: "aGk=", format: "mp3" } },
          {
            type: "file",
            file: { filename: "document", file_data: "data:application/pdf;base64,aGk=" },
          },
          { type: "image_url", image_url: { url: "https://pictures.example/a.png" } },
        ],
      },
    ]);
  });

  test("asks for events with usage where the address does", () => {
    expect(translatedBody(geminiToChat, { contents }, "m", true)).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(bodyOf({})).toEqual({ model: "m", messages: [{ role: "user", content: "hi" }] });
  });

  test("sends the same limits, and an effort to reasoning models", () => {
    const thinkingConfig = { thinkingBudget: 20_000 };
    const generationConfig = {
      maxOutputTokens: 9,
      temperature: 0,
      topP: 1,
      stopSequences: ["END"],
      thinkingConfig,
    };
    expect(bodyOf({ generationConfig })).toMatchObject({
      max_tokens: 9,
      temperature: 0,
      top_p: 1,
      stop: ["END"],
    });
    expect(bodyOf({ generationConfig })).not.toHaveProperty("reasoning_effort");
    expect(bodyOf({ generationConfig }, "gpt-5")).toMatchObject({
      max_completion_tokens: 9,
      reasoning_effort: "high",
    });
    const level = { generationConfig: { thinkingConfig: { thinkingLevel: "LOW" } } };
    expect(bodyOf(level, "o4-mini")).toMatchObject({ reasoning_effort: "low" });
    expect(bodyOf({ generationConfig }, "gpt-5")).not.toHaveProperty("temperature");
  });

  test("sends schemas of tools and replies with types in lower case", () => {
    const parameters = { type: "OBJECT", properties: { type: { type: "STRING", enum: ["A"] } } };
    const schema = { type: "object", properties: { type: { type: "string", enum: ["A"] } } };
    const tools = [
      {
        functionDeclarations: [
          { name: "f", parameters },
          { name: "g", parametersJsonSchema: schema },
        ],
      },
      { googleSearch: {} },
    ];
    const generationConfig = { responseMimeType: "application/json", responseSchema: parameters };
    expect(bodyOf({ tools, generationConfig })).toMatchObject({
      tools: ["f", "g"].map((name) => ({
        type: "function",
        function: { name, parameters: schema },
      })),
      response_format: { type: "json_schema", json_schema: { schema } },
    });
    const choice = (functionCallingConfig: object) =>
      bodyOf({ tools, toolConfig: { functionCallingConfig } }).tool_choice;
    expect(choice({ mode: "AUTO" })).toBeUndefined();
    expect(choice({ mode: "NONE" })).toBe("none");
    expect(choice({ mode: "ANY" })).toBe("required");
    expect(choice({ mode: "ANY", allowedFunctionNames: ["f"] })).toEqual({
      type: "function",
      function: { name: "f" },
    });
  });
});

describe("a reply of chat completions for Gemini", () => {
  const usage = {
    prompt_tokens: 5,
    completion_tokens: 9,
    prompt_tokens_details: { cached_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 6 },
  };
  const usageMetadata = {
    promptTokenCount: 5,
    candidatesTokenCount: 3,
    totalTokenCount: 14,
    cachedContentTokenCount: 2,
    thoughtsTokenCount: 6,
  };
  const functionCall = { id: "c", name: "f", args: { a: 1 } };

  test("is whole", () => {
    const tool_calls = [
      { id: "c", type: "function", function: { name: "f", arguments: '{"a":1}' } },
    ];
    const message = { role: "assistant", content: "so", reasoning_content: "hm", tool_calls };
    const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
    expect(
      geminiToChat.createReplyTranslator(call).translateReply({ id: "1", choices, usage }),
    ).toEqual({
      candidates: [
        {
          content: {
            role: "model",
            parts: [{ text: "hm", thought: true }, { text: "so" }, { functionCall }],
          },
          finishReason: "STOP",
          index: 0,
        },
      ],
      usageMetadata,
      modelVersion: "m",
      responseId: "1",
    });
  });

  test("streams its text at once, and its calls whole at the end", () => {
    const answers = geminiToChat.createReplyTranslator(call);
    const delta = (fields: object, more: object = {}) =>
      event({ id: "1", choices: [{ index: 0, delta: fields, ...more }] });
    const part = (written: string, more: object = {}) =>
      delta({ tool_calls: [{ index: 0, ...more, function: { ...more, arguments: written } }] });
    const stream = [
      delta({ role: "assistant", content: "" }),
      delta({ reasoning_content: "hm" }),
      delta({ content: "so" }),
      part("", { id: "c", name: "f" }),
      part('{"a"'),
      part(":1}"),
      delta({}, { finish_reason: "length" }),
      event({ choices: [], usage }),
      "data: [DONE]\n\n",
    ];
    const replies = dataOf(
      stream.map((one) => answers.translateEvent(one)).join("") + answers.finish(),
    );
    expect(replies.map(({ candidates }) => candidates[0])).toEqual([
      { content: { role: "model", parts: [{ text: "hm", thought: true }] }, index: 0 },
      { content: { role: "model", parts: [{ text: "so" }] }, index: 0 },
      {
        content: { role: "model", parts: [{ functionCall }] },
        finishReason: "MAX_TOKENS",
        index: 0,
      },
    ]);
    expect(replies.at(-1)).toMatchObject({ usageMetadata, responseId: "1" });
  });

  test("without any event is still a reply", () => {
    expect(dataOf(geminiToChat.createReplyTranslator(call).finish())).toMatchObject([
      { candidates: [{ finishReason: "STOP" }] },
    ]);
  });
});

test.each([
  null,
  7,
  "x",
  [],
  {},
  [null],
  [[]],
  [{ functionCall: 1 }],
  [{ functionResponse: null }],
  [{ inlineData: 1 }],
])("%j in any position is translated without an error", (odd) => {
  const body = {
    contents: [odd, { role: "model", parts: odd }, { role: "user", parts: odd }],
    systemInstruction: odd,
    generationConfig: odd,
    tools: odd,
    toolConfig: odd,
  };
  expect(translatedBody(geminiToChat, body, "m")).toMatchObject({ model: "m" });
  const tools = [{ functionDeclarations: odd }];
  const generationConfig = { thinkingConfig: odd, responseSchema: odd };
  expect(
    translatedBody(geminiToChat, { contents: odd, tools, generationConfig }, "gpt-5"),
  ).toMatchObject({
    model: "gpt-5",
  });
  for (const reply of [
    { choices: odd, usage: odd, id: odd },
    { choices: [{ index: odd, message: odd, delta: odd, finish_reason: odd }] },
    {
      choices: [
        { message: { content: odd, tool_calls: odd }, delta: { content: odd, tool_calls: odd } },
      ],
    },
  ]) {
    const answers = geminiToChat.createReplyTranslator(call);
    expect(answers.translateReply(reply)).toBeTypeOf("object");
    expect(answers.translateEvent(event(reply)) + answers.finish()).toBeTypeOf("string");
  }
});
