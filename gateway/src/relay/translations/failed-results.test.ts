// A result that its tool calls a failure is one for every provider that has a word for it.

import { droppedFields, translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { expect, test } from "vitest";
import type { JsonRecord } from "../wire/json-parts.ts";
import { chatToConverse } from "./chat-to-converse.ts";
import { chatToGemini } from "./chat-to-gemini.ts";
import { chatToMessages } from "./chat-to-messages.ts";
import { chatToResponses } from "./chat-to-responses.ts";
import { composeTranslations } from "./composed-translation.ts";
import { geminiThroughChat, geminiToChat } from "./gemini-to-chat.ts";
import { messagesThroughChat, messagesToChat } from "./messages-to-chat.ts";

const result = { type: "tool_result", tool_use_id: "a", content: "no city", is_error: true };
const called = { type: "tool_use", id: "a", name: "look", input: {} };
const messages = {
  messages: [
    { role: "assistant", content: [called] },
    { role: "user", content: [result] },
  ],
};
const geminiResult = (response: object) => ({
  contents: [
    { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name: "look", response } }] },
  ],
});

const last = (list: unknown): unknown => (list as JsonRecord[]).at(-1);

test.each([
  ["Messages", messagesThroughChat, messages, "a"],
  ["Gemini", geminiThroughChat, geminiResult({ error: "no city" }), "call_1"],
])("a failed result of %s reaches Messages, Converse and Gemini", (_, first, body, id) => {
  const sent = (target: typeof chatToMessages) =>
    translatedBody(composeTranslations(first, target), body, "m");
  expect(last(sent(chatToConverse).messages)).toEqual({
    role: "user",
    content: [{ toolResult: { toolUseId: id, content: [{ text: "no city" }], status: "error" } }],
  });
  expect(last(sent(chatToMessages).messages)).toMatchObject({
    content: [{ tool_use_id: id, content: [{ text: "no city" }], is_error: true }],
  });
  expect(last(sent(chatToGemini).contents)).toMatchObject({
    parts: [{ functionResponse: { name: "look", response: { error: "no city" } } }],
  });
});

test("a result with more than its error is what its tool said", () => {
  const body = geminiResult({ error: "late", city: "Bern" });
  const sent = translatedBody(composeTranslations(geminiThroughChat, chatToMessages), body, "m");
  expect(last(sent.messages)).not.toMatchObject({ content: [{ is_error: true }] });
});

test.each([
  ["Messages", messagesToChat, messages],
  ["Gemini", geminiToChat, geminiResult({ error: "no city" })],
])("chat completions gets the words of a failed result of %s alone", (_, translation, body) => {
  const sent = translatedBody(translation, body, "m");
  expect(last(sent.messages)).toMatchObject({
    role: "tool",
    content: expect.stringContaining("no city") as string,
  });
  expect(last(sent.messages)).not.toHaveProperty("is_error");
});

test("Responses has no word for it, which is said", () => {
  const translation = composeTranslations(messagesThroughChat, chatToResponses);
  expect(droppedFields(translation, messages, "m")).toEqual(["messages.content.is_error"]);
});
