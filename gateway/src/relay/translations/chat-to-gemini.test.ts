import { translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import type { RelayCall } from "../formats/api-format.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import { chatToGemini } from "./chat-to-gemini.ts";

const user = (content: unknown) => ({ role: "user", content });
const json = { model: "m", messages: [user("hi")] };
const call: RelayCall = {
  ...chatCompletions.parseRequest(json, false),
  client: chatCompletions,
  upstream: chatCompletions.upstream,
  headers: [],
  body: Buffer.from(""),
};
const bodyOf = (json: object, model = "gemini-2.5-pro") =>
  translatedBody(chatToGemini, { messages: [user("hi")], ...json }, model);
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const dataOf = (stream: string) =>
  stream
    .split("\n\n")
    .filter((text) => text.startsWith("data: {"))
    .map((text) => JSON.parse(text.slice(6)));
const candidate = (parts: unknown, more: object = {}) => ({
  content: { role: "model", parts },
  ...more,
});
const toolCall = (id: string, name: string, more: object = {}) => ({
  id,
  type: "function",
  function: { name, arguments: '{"a":1}' },
  ...more,
});

describe("a chat request for Gemini", () => {
  test("separates system prompts, and sends results of one turn together", () => {
    const messages = [
      { role: "system", content: "Be kind." },
      user("go"),
      { role: "assistant", content: "yes", tool_calls: [toolCall("1", "f"), toolCall("2", "g")] },
      { role: "tool", tool_call_id: "1", content: '{"sun":true}' },
      { role: "tool", tool_call_id: "2", content: "rain" },
      { role: "tool", tool_call_id: "nobody's", content: "[1]" },
      user("and now"),
    ];
    expect(bodyOf({ messages })).toMatchObject({
      systemInstruction: { parts: [{ text: "Be kind." }] },
      contents: [
        { role: "user", parts: [{ text: "go" }] },
        {
          role: "model",
          parts: [
            { text: "yes" },
            { functionCall: { name: "f", args: { a: 1 } } },
            { functionCall: { name: "g", args: { a: 1 } } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "f", response: { sun: true } } },
            { functionResponse: { name: "g", response: { result: "rain" } } },
            // Whose call nobody made, is words of the user.
            { text: "[1]" },
            { text: "and now" },
          ],
        },
      ],
    });
  });

  test("carries images, audio and files", () => {
    const content = [
      { type: "text", text: "look" },
      { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
      { type: "image_url", image_url: { url: "https://pictures.example/a.JPG?w=1" } },
      { type: "input_audio", input_audio: { data: "aGk=", format: "wav" } },
      { type: "file", file: { file_data: "data:application/pdf;base64,aGk=" } },
    ];
    expect(bodyOf({ messages: [user(content)] }).contents).toEqual([
      {
        role: "user",
        parts: [
          { text: "look" },
          { inlineData: { mimeType: "image/png", data: "aGk=" } },
          { fileData: { fileUri: "https://pictures.example/a.JPG?w=1", mimeType: "image/jpeg" } },
          { inlineData: { mimeType: "audio/wav", data: "aGk=" } },
          { inlineData: { mimeType: "application/pdf", data: "aGk=" } },
        ],
      },
    ]);
  });

  test("sends signatures back, and adds a placeholder for models that require one", () => {
    const signed = { extra_content: { google: { thought_signature: "c2ln" } } };
    const signatures = (model: string, first: object) =>
      (
        bodyOf(
          {
            messages: [
              { role: "assistant", tool_calls: [toolCall("1", "f", first), toolCall("2", "g")] },
            ],
          },
          model,
        ).contents as { parts: { thoughtSignature?: string }[] }[]
      )[1]?.parts.map(({ thoughtSignature }) => thoughtSignature);
    expect(signatures("gemini-2.5-pro", signed)).toEqual(["c2ln", undefined]);
    expect(signatures("gemini-2.5-pro", {})).toEqual([undefined, undefined]);
    expect(signatures("gemini-3-pro-preview", signed)).toEqual(["c2ln", undefined]);
    expect(signatures("gemini-3-pro-preview", {})).toEqual([
      "skip_thought_signature_validator",
      undefined,
    ]);
  });

  test("sends whole schemas of tools and replies", () => {
    const schema = {
      $schema: "https://json-schema.org",
      type: "object",
      additionalProperties: false,
    };
    const plain = { type: "object", additionalProperties: false };
    const tools = [
      { type: "function", function: { name: "f", parameters: schema } },
      { type: "custom" },
    ];
    const response_format = { type: "json_schema", json_schema: { name: "x", schema } };
    expect(bodyOf({ tools })).toMatchObject({
      tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: plain }] }],
    });
    expect(bodyOf({ response_format })).toMatchObject({
      generationConfig: { responseMimeType: "application/json", responseJsonSchema: plain },
    });
    const choice = (tool_choice: unknown) => bodyOf({ tools, tool_choice }).toolConfig;
    expect(choice("auto")).toBeUndefined();
    expect(choice("none")).toEqual({ functionCallingConfig: { mode: "NONE" } });
    expect(choice("required")).toEqual({ functionCallingConfig: { mode: "ANY" } });
    expect(choice({ type: "function", function: { name: "f" } })).toEqual({
      functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] },
    });
  });

  test("sends the same limits and the same effort", () => {
    const asked = {
      max_tokens: 9,
      temperature: 0,
      top_p: 0.5,
      stop: "END",
      n: 2,
      seed: 7,
      reasoning_effort: "medium",
    };
    const config = {
      maxOutputTokens: 9,
      temperature: 0,
      topP: 0.5,
      stopSequences: ["END"],
      candidateCount: 2,
      seed: 7,
    };
    expect(bodyOf(asked).generationConfig).toEqual({
      ...config,
      thinkingConfig: { thinkingBudget: 8_192, includeThoughts: true },
    });
    expect(bodyOf(asked, "gemini-3-pro").generationConfig).toMatchObject({
      thinkingConfig: { thinkingLevel: "high", includeThoughts: true },
    });
    expect(bodyOf({ reasoning_effort: "none" }, "gemini-2.5-flash").generationConfig).toEqual({
      thinkingConfig: { thinkingBudget: 0, includeThoughts: false },
    });
    // It refuses to think of nothing.
    expect(bodyOf({ reasoning_effort: "none" }, "gemini-2.5-pro").generationConfig).toEqual({
      thinkingConfig: { thinkingBudget: 128, includeThoughts: false },
    });
  });
});

describe("Gemini's reply for chat completions", () => {
  const parts = [
    { text: "hm", thought: true },
    { text: "so" },
    { functionCall: { name: "f", args: { a: 1 } }, thoughtSignature: "c2ln" },
    { functionCall: { name: "g" } },
  ];
  const usageMetadata = {
    promptTokenCount: 5,
    cachedContentTokenCount: 2,
    candidatesTokenCount: 3,
    thoughtsTokenCount: 6,
  };
  const usage = {
    prompt_tokens: 5,
    completion_tokens: 9,
    total_tokens: 14,
    prompt_tokens_details: { cached_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 6 },
  };
  const calls = [
    {
      id: "call_r-1_1",
      type: "function",
      function: { name: "f", arguments: '{"a":1}' },
      extra_content: { google: { thought_signature: "c2ln" } },
    },
    { id: "call_r-1_2", type: "function", function: { name: "g", arguments: "{}" } },
  ];

  test("is whole", () => {
    const candidates = [candidate(parts, { finishReason: "STOP" })];
    expect(
      chatToGemini
        .createReplyTranslator(call)
        .translateReply({ candidates, usageMetadata, responseId: "r-1" }),
    ).toMatchObject({
      id: "chatcmpl-r-1",
      object: "chat.completion",
      model: "m",
      choices: [
        {
          message: { role: "assistant", content: "so", reasoning_content: "hm", tool_calls: calls },
          finish_reason: "tool_calls",
        },
      ],
      usage,
    });
  });

  test("streams the same", () => {
    const answers = chatToGemini.createReplyTranslator({ ...call, wantsUsage: true });
    const stream = parts.map((part) =>
      event({ candidates: [candidate([part])], responseId: "r-1" }),
    );
    const last = event({
      candidates: [candidate([{ text: "" }], { finishReason: "STOP" })],
      usageMetadata,
    });
    const clientStream =
      [...stream, last].map((one) => answers.translateEvent(one)).join("") + answers.finish();
    expect(clientStream.endsWith("data: [DONE]\n\n")).toBe(true);
    const chunks = dataOf(clientStream);
    expect(chunks.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: "assistant", content: "" },
      { reasoning_content: "hm" },
      { content: "so" },
      ...calls.map((one, index) => ({ tool_calls: [{ index, ...one }] })),
      {},
      undefined,
    ]);
    expect(chunks.at(-2).choices[0].finish_reason).toBe("tool_calls");
    expect(chunks.at(-1).usage).toEqual(usage);
  });

  test.each([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content_filter"],
    ["PROHIBITED_CONTENT", "content_filter"],
    ["MALFORMED_FUNCTION_CALL", "stop"],
  ])("that ended by %s ended by %s", (finishReason, finish_reason) => {
    const candidates = [candidate([{ text: "so" }], { finishReason })];
    expect(chatToGemini.createReplyTranslator(call).translateReply({ candidates })).toMatchObject({
      choices: [{ finish_reason }],
    });
  });

  test("to a blocked prompt has the finish reason", () => {
    const refused = { promptFeedback: { blockReason: "OTHER" } };
    expect(chatToGemini.createReplyTranslator(call).translateReply(refused)).toMatchObject({
      choices: [{ message: { content: "" }, finish_reason: "content_filter" }],
    });
    expect(chatToGemini.createReplyTranslator(call).translateEvent(event(refused))).toContain(
      '"content_filter"',
    );
  });

  test("distinguishes calls of replies without ids", () => {
    const ids = [1, 2].map(() => {
      const reply = chatToGemini
        .createReplyTranslator(call)
        .translateReply({ candidates: [candidate(parts)] }) as {
        id: string;
      };
      return reply.id;
    });
    expect(new Set(ids).size).toBe(2);
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
  [{ type: "image_url" }],
  [{ type: "file" }],
  [{ functionCall: 1 }],
])("%j wherever it can stand is translated without a fault", (odd) => {
  const body = {
    messages: [
      user(odd),
      { role: "assistant", content: odd, tool_calls: odd },
      { role: "tool", content: odd, tool_call_id: odd },
    ],
    tools: odd,
    tool_choice: odd,
    response_format: odd,
    reasoning_effort: odd,
  };
  expect(translatedBody(chatToGemini, body, "m")).toBeTypeOf("object");
  for (const reply of [
    { candidates: odd, usageMetadata: odd, promptFeedback: odd, responseId: odd },
    { candidates: [{ content: odd, index: odd, finishReason: odd }] },
    { candidates: [candidate(odd)] },
  ]) {
    const answers = chatToGemini.createReplyTranslator(call);
    expect(answers.translateReply(reply)).toBeTypeOf("object");
    expect(answers.translateEvent(event(reply))).toBeTypeOf("string");
  }
});
