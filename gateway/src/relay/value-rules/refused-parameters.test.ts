import { droppedFields, translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { expect, test } from "vitest";
import { chatToConverse } from "../translations/chat-to-converse.ts";
import { chatToMessages } from "../translations/chat-to-messages.ts";
import { geminiToChat } from "../translations/gemini-to-chat.ts";
import { messagesToChat } from "../translations/messages-to-chat.ts";
import { record } from "../wire/json-parts.ts";

const messages = [{ role: "user", content: "hi" }];

test.each([
  ["gpt-5.4", false],
  ["o3", false],
  ["gpt-4o", true],
  ["some-model", true],
])("%s is sent words at which to stop: %s", (model, isSent) => {
  const claude = { model, max_tokens: 9, messages, stop_sequences: ["</block>"] };
  expect("stop" in translatedBody(messagesToChat, claude, model)).toBe(isSent);
  expect(droppedFields(messagesToChat, claude, model)).toEqual(isSent ? [] : ["stop_sequences"]);
  const google = {
    contents: [{ parts: [{ text: "hi" }] }],
    generationConfig: { stopSequences: ["x"] },
  };
  expect("stop" in translatedBody(geminiToChat, google, model)).toBe(isSent);
});

test.each([
  ["claude-sonnet-4-5", undefined],
  ["claude-haiku-4.5", undefined],
  ["claude-opus-4-1-20250805", undefined],
  ["claude-opus-4-6", undefined],
  ["us.anthropic.claude-sonnet-4-5-v1:0", undefined],
  ["claude-3-5-sonnet", 0.9],
  ["claude-sonnet-4-20250514", 0.9],
])("%s is sent a temperature, and beside it top_p %s", (model, top_p) => {
  const asked = { model, messages, temperature: 0.7, top_p: 0.9 };
  expect(translatedBody(chatToMessages, asked, model)).toMatchObject({ temperature: 0.7 });
  expect(translatedBody(chatToMessages, asked, model).top_p).toBe(top_p);
  expect(record(translatedBody(chatToConverse, asked, model).inferenceConfig).topP).toBe(top_p);
  expect(translatedBody(chatToMessages, { model, messages, top_p: 0.9 }, model).top_p).toBe(0.9);
});
