// Contents that clients send in forms that the provider behind a translation refuses.
import { translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import { chatCompletions } from "../formats/chat-completions.ts";
import { record, records } from "../wire/json-parts.ts";
import { chatToConverse } from "./chat-to-converse.ts";
import { chatToMessages } from "./chat-to-messages.ts";
import { chatToResponses } from "./chat-to-responses.ts";
import { geminiToChat } from "./gemini-to-chat.ts";
import { messagesToChat } from "./messages-to-chat.ts";
import { responsesToChat } from "./responses-to-chat.ts";

const chatWith = (part: object) => ({ model: "m", messages: [{ role: "user", content: [part] }] });
const fromGemini = (part: object) =>
  translatedBody(geminiToChat, { contents: [{ role: "user", parts: [part] }] }, "m");

describe("a file", () => {
  test("by its address stays an address for Responses", () => {
    const file = { filename: "a.pdf", file_data: "https://example.com/a.pdf" };
    expect(translatedBody(chatToResponses, chatWith({ type: "file", file }), "m")).toMatchObject({
      input: [{ content: [{ type: "input_file", file_url: "https://example.com/a.pdf" }] }],
    });
  });

  test("whose bytes come without their type is a document for Messages", () => {
    const file = { file_data: "JVBERi0xLjQK" };
    expect(translatedBody(chatToMessages, chatWith({ type: "file", file }), "m")).toMatchObject({
      messages: [{ content: [{ type: "document", source: { media_type: "application/pdf" } }] }],
    });
  });

  test("that is a picture is one for Messages and Converse", () => {
    const file = { filename: "a.png", file_data: "data:image/png;base64,iVBORw0KGgo=" };
    const part = { type: "file", file };
    expect(translatedBody(chatToMessages, chatWith(part), "m")).toMatchObject({
      messages: [{ content: [{ type: "image", source: { media_type: "image/png" } }] }],
    });
    expect(translatedBody(chatToConverse, chatWith(part), "m")).toMatchObject({
      messages: [{ content: [{ image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } }] }],
    });
  });

  test("that its provider knows by an id alone is left out for Messages", () => {
    const part = { type: "file", file: { file_id: "file-1" } };
    const request = {
      model: "m",
      messages: [{ role: "user", content: [{ type: "text", text: "hi" }, part] }],
    };
    expect(translatedBody(chatToMessages, request, "m")).toMatchObject({
      messages: [{ content: [{ type: "text", text: "hi" }] }],
    });
  });

  test("has a name of its own for Converse, whatever the others are called", () => {
    const file = (filename: string) => ({
      type: "file",
      file: { filename, file_data: "data:application/pdf;base64,JVBERi0=" },
    });
    const content = ["a b.pdf", "a_b.pdf", "a b (2).pdf", "a b.pdf"].map(file);
    const { messages } = translatedBody(
      chatToConverse,
      { model: "m", messages: [{ role: "user", content }] },
      "m",
    );
    const [turn] = records(messages);
    const names = records(turn?.content).flatMap(({ document }) =>
      document === undefined ? [] : [record(document).name],
    );
    expect(names).toEqual(["a b", "a b (2)", "a b (2) (2)", "a b (3)"]);
  });

  test("of Gemini by its address is no picture", () => {
    const fileData = { fileUri: "https://example.com/a.pdf", mimeType: "application/pdf" };
    expect(fromGemini({ fileData })).toMatchObject({
      messages: [{ content: [{ type: "file", file: { file_data: "https://example.com/a.pdf" } }] }],
    });
  });
});

describe("a picture", () => {
  const png = "iVBORw0KGgo=";

  test("in a result of Gemini's is sent by the user, right behind the results", () => {
    const contents = [
      { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              name: "f",
              response: { ok: true },
              parts: [{ inlineData: { mimeType: "image/png", data: png } }],
            },
          },
        ],
      },
    ];
    expect(translatedBody(geminiToChat, { contents }, "m")).toMatchObject({
      messages: [
        { role: "assistant" },
        { role: "tool", content: '{"ok":true}' },
        {
          role: "user",
          content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${png}` } }],
        },
      ],
    });
  });

  test("of Gemini is one however its type is written", () => {
    expect(fromGemini({ inlineData: { mimeType: "IMAGE/JPEG", data: "/9j/" } })).toMatchObject({
      messages: [
        { content: [{ type: "image_url", image_url: { url: "data:image/jpeg;base64,/9j/" } }] },
      ],
    });
  });

  test.each(["data:;base64,", "data:image/*;base64,", "data:*/*;base64,", ""])(
    "behind %j is what its bytes say",
    (beginning) => {
      const part = { type: "image_url", image_url: { url: `${beginning}${png}` } };
      expect(translatedBody(chatToMessages, chatWith(part), "m")).toMatchObject({
        messages: [
          { content: [{ source: { type: "base64", media_type: "image/png", data: png } }] },
        ],
      });
    },
  );

  test.each(["", "image/*", "application/octet-stream"])(
    "of Gemini and of Messages by the type %j is what its bytes say",
    (type) => {
      const image_url = { url: `data:image/png;base64,${png}` };
      const wanted = { messages: [{ content: [{ type: "image_url", image_url }] }] };
      expect(fromGemini({ inlineData: { mimeType: type, data: png } })).toMatchObject(wanted);
      const source = { type: "base64", media_type: type, data: png };
      const messages = [{ role: "user", content: [{ type: "image", source }] }];
      expect(translatedBody(messagesToChat, { messages }, "m")).toMatchObject(wanted);
    },
  );

  test("in the alphabet of addresses is in the usual one for others than Google", () => {
    const inlineData = { mimeType: "image/png", data: `${png.slice(0, 8)}-_8=` };
    expect(fromGemini({ inlineData })).toMatchObject({
      messages: [
        { content: [{ image_url: { url: `data:image/png;base64,${png.slice(0, 8)}+/8=` } }] },
      ],
    });
  });

  test("has its true type for Responses and for chat completions", () => {
    const url = `data:image/jpg;base64,${png}`;
    const image_url = `data:image/png;base64,${png}`;
    expect(
      translatedBody(chatToResponses, chatWith({ type: "image_url", image_url: { url } }), "m"),
    ).toMatchObject({ input: [{ content: [{ type: "input_image", image_url }] }] });
    const input = [{ role: "user", content: [{ type: "input_image", image_url: url }] }];
    expect(translatedBody(responsesToChat, { model: "m", input }, "m")).toMatchObject({
      messages: [{ content: [{ image_url: { url: image_url } }] }],
    });
  });
});

test.each([
  [messagesToChat, "hello"],
  [responsesToChat, "hello"],
  [geminiToChat, "hello"],
])("the words of a stream that calls its deltas messages are read (%#)", (translation, words) => {
  const json = { model: "m", messages: [], input: "hi", contents: [] };
  const call = {
    ...chatCompletions.parseRequest(
      { model: "m", messages: [{ role: "user", content: "hi" }] },
      false,
    ),
    client: chatCompletions,
    upstream: chatCompletions.upstream,
    headers: [],
    body: Buffer.from(JSON.stringify(json)),
  };
  const choice = { index: 0, message: { content: words }, finish_reason: "stop" };
  const reader = translation.createReplyTranslator(call);
  const event = `data: ${JSON.stringify({ id: "c", choices: [choice] })}\n\n`;
  expect(reader.translateEvent(event) + reader.finish()).toContain(words);
});

test("a result that names no call answers the oldest one without a result", () => {
  const call = (call_id: string) => ({
    type: "function_call",
    call_id,
    name: "f",
    arguments: "{}",
  });
  const input = [
    { role: "user", content: "go" },
    call("a"),
    call("b"),
    { type: "function_call_output", output: "one" },
    { type: "function_call_output", output: "two" },
  ];
  expect(translatedBody(responsesToChat, { model: "m", input }, "m")).toMatchObject({
    messages: [
      {},
      {},
      { tool_call_id: "a", content: "one" },
      { tool_call_id: "b", content: "two" },
    ],
  });
});

test.each(["openai/gpt-5.4", "google/gemini-3-pro-preview", "anthropic/claude-opus-4.6"])(
  "the effort of Messages reaches %s behind a router",
  (model) => {
    const json = {
      model,
      max_tokens: 9,
      messages: [{ role: "user", content: "hi" }],
      thinking: { type: "adaptive" },
      output_config: { effort: "high" },
    };
    expect(translatedBody(messagesToChat, json, model)).toMatchObject({ reasoning_effort: "high" });
  },
);
