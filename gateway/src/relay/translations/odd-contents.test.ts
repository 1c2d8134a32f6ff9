// Contents as clients and servers really write them, and what becomes of them in another format.
import { callOf, planOver } from "@tollgate/tests/conformance/in-process-relay.ts";
import { droppedFields, translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import { type JsonRecord, record, records } from "../wire/json-parts.ts";
import { chatToConverse } from "./chat-to-converse.ts";
import { chatToGemini } from "./chat-to-gemini.ts";
import { chatToMessages } from "./chat-to-messages.ts";
import { chatToResponses } from "./chat-to-responses.ts";
import { geminiToChat } from "./gemini-to-chat.ts";
import { messagesToChat } from "./messages-to-chat.ts";

const user = (content: unknown): JsonRecord => ({ role: "user", content });
const sse = (data: JsonRecord): string => `data: ${JSON.stringify(data)}\n\n`;
const png = "iVBORw0KGgoAAA==";
const jpeg = "/9j/4AAQSkZJRg==";

test.each([
  ["image/png", jpeg, "image/jpeg"],
  ["image/jpg", png, "image/png"],
  ["application/octet-stream", png, "image/png"],
  ["image/heic", "AAAAGGZ0eXA=", "image/heic"],
])("a picture that is called %s goes out as what it is", (named, data, sent) => {
  const shown = { type: "image_url", image_url: { url: `data:${named};base64,${data}` } };
  for (const translation of [chatToMessages, chatToGemini]) {
    const body = JSON.stringify(
      translatedBody(translation, { model: "m", messages: [user([shown])] }, "m"),
    );
    expect(body).toContain(`"${sent}"`);
  }
  const source = { type: "base64", media_type: named, data };
  const ofMessages = { model: "m", max_tokens: 9, messages: [user([{ type: "image", source }])] };
  expect(JSON.stringify(translatedBody(messagesToChat, ofMessages, "m"))).toContain(
    `data:${sent};base64,`,
  );
  const ofGemini = {
    contents: [{ role: "user", parts: [{ inlineData: { mimeType: named, data } }] }],
  };
  expect(JSON.stringify(translatedBody(geminiToChat, ofGemini, "m"))).toContain(
    `data:${sent};base64,`,
  );
});

test.each(["text/csv", "text/html", "application/json"])(
  "Anthropic reads a file of %s as text",
  (type) => {
    const file = { filename: "a", file_data: `data:${type};base64,YSxi` };
    const body = translatedBody(
      chatToMessages,
      { model: "m", messages: [user([{ type: "file", file }])] },
      "m",
    );
    expect(JSON.stringify(body)).toContain(
      '{"type":"text","media_type":"text/plain","data":"a,b"}',
    );
  },
);

describe("what Claude Code says of itself", () => {
  const line = "x-anthropic-billing-header: cc_version=2.1.197.e82; cc_entrypoint=sdk-cli;";
  const asked = (system: unknown, user_id?: string): JsonRecord => ({
    max_tokens: 9,
    messages: [user("hi")],
    system,
    ...(user_id && { metadata: { user_id } }),
  });
  test.each([
    [`${line}\nBe kind.`],
    [
      [
        { type: "text", text: line },
        { type: "text", text: "Be kind." },
      ],
    ],
  ])("is no part of the prompt elsewhere", (system) => {
    const body = translatedBody(messagesToChat, asked(system), "m");
    expect(records(body.messages)[0]).toEqual({ role: "system", content: "Be kind." });
  });

  test("is the key of OpenAI's cache for its session, and of no other provider's", () => {
    const id = JSON.stringify({ device_id: "d".repeat(64), account_uuid: "", session_id: "abc-1" });
    expect(translatedBody(messagesToChat, asked("", id), "gpt-5.4").prompt_cache_key).toBe("abc-1");
    expect(
      translatedBody(messagesToChat, asked("", "user_1_account__session_ab-2"), "gpt-5")
        .prompt_cache_key,
    ).toBe("ab-2");
    expect(translatedBody(messagesToChat, asked("", "me"), "gpt-5")).not.toHaveProperty(
      "prompt_cache_key",
    );
    expect(translatedBody(messagesToChat, asked("", id), "mistral-large")).not.toHaveProperty(
      "prompt_cache_key",
    );
  });
});

describe("a conversation whose calls and results do not meet", () => {
  const call = (id: string, name: string) => ({
    id,
    type: "function",
    function: { name, arguments: "{}" },
  });
  const result = (tool_call_id: string, content: string) => ({
    role: "tool",
    tool_call_id,
    content,
  });
  const asked = (...messages: JsonRecord[]): JsonRecord => ({
    model: "m",
    messages: [user("go"), ...messages],
  });
  const calls = { role: "assistant", content: null, tool_calls: [call("a", "f"), call("b", "g")] };

  test("has each result after its call, in order, and words for one that is missing", () => {
    const mixed = asked(calls, result("b", "two"), user("wait"), result("a", "one"));
    const [, , results] = records(translatedBody(chatToGemini, mixed, "m").contents);
    expect(
      records(record(results).parts).map((part) => record(part.functionResponse).name ?? part.text),
    ).toEqual(["f", "g", "wait"]);
    const missing = records(
      translatedBody(chatToMessages, asked(calls, result("b", "two")), "m").messages,
    );
    expect(records(missing[2]?.content).map(({ tool_use_id }) => tool_use_id)).toEqual(["a", "b"]);
    expect(JSON.stringify(missing)).toContain("no result");
  });

  test("has one result for a call, the last, and none without a call", () => {
    const twice = asked(
      calls,
      result("a", "old"),
      result("b", "two"),
      result("a", "new"),
      result("c", "lost"),
    );
    for (const translation of [chatToMessages, chatToConverse, chatToResponses]) {
      const body = JSON.stringify(translatedBody(translation, twice, "m"));
      expect(body.match(/new/g)).toHaveLength(1);
      expect(body).not.toContain('"old"');
      expect(body).not.toContain('"c"');
      expect(body).toContain("lost");
    }
    expect(droppedFields(chatToMessages, asked(result("c", "lost")), "m")).toEqual([]);
  });

  test("keeps an id that a later turn uses again with each of its turns", () => {
    const again = asked(
      calls,
      result("a", "1"),
      result("b", "2"),
      calls,
      result("a", "3"),
      result("b", "4"),
    );
    const body = JSON.stringify(translatedBody(chatToMessages, again, "m"));
    for (const told of ["1", "2", "3", "4"]) expect(body).toContain(`"text":"${told}"`);
  });
});

test("a call without any id gets one, whole and streamed", () => {
  const called = { type: "function", function: { name: "look", arguments: "{}" } };
  for (const endpoint of ["Messages", "Responses"] as const) {
    const over = () => planOver(callOf(endpoint), "chat_completions").translator;
    const choice = { index: 0, message: { tool_calls: [called] }, finish_reason: "tool_calls" };
    const whole = JSON.stringify(over()?.translateReply({ id: "c", choices: [choice] }));
    const streaming = over();
    const stream = [
      { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...called }] } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
    ].map((data) => streaming?.translateEvent(sse(data)));
    for (const told of [whole, stream.join("") + streaming?.finish()]) {
      expect(told).toMatch(/"(?:id|call_id)":"(?:call|fc)_\w+"/);
      expect(told).not.toMatch(/"(?:id|call_id)":(?:""|null)/);
    }
  }
});

test("the words at which vLLM stopped are told to clients of Messages", () => {
  const choice = { index: 0, message: { content: "x" }, finish_reason: "stop", stop_reason: "END" };
  const over = () => planOver(callOf("Messages"), "chat_completions").translator;
  const told = { stop_reason: "stop_sequence", stop_sequence: "END" };
  expect(over()?.translateReply({ id: "c", choices: [choice] })).toMatchObject(told);
  const streaming = over();
  streaming?.translateEvent(sse({ choices: [{ ...choice, delta: { content: "x" } }] }));
  expect(streaming?.finish()).toContain('"stop_reason":"stop_sequence","stop_sequence":"END"');
});
