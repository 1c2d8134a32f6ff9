import { describe, expect, test } from "vitest";
import type { JsonRecord } from "../wire/json-parts.ts";
import {
  beginsAsEvents,
  foldChatEvents,
  foldGeminiEvents,
  foldMessagesEvents,
  foldResponsesEvents,
  readEvents,
  splitEvents,
} from "./stream-as-whole.ts";
import {
  streamChatReply,
  streamGeminiReply,
  streamMessagesReply,
  streamResponsesReply,
} from "./whole-as-stream.ts";

const chat: JsonRecord = {
  id: "c",
  object: "chat.completion",
  model: "m",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: "Hm.",
        reasoning_content: "so",
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      finish_reason: "tool_calls",
    },
  ],
  usage: { prompt_tokens: 5, completion_tokens: 9, total_tokens: 14 },
};
const messages: JsonRecord = {
  id: "m",
  type: "message",
  role: "assistant",
  content: [
    { type: "thinking", thinking: "so", signature: "s" },
    { type: "text", text: "Hm." },
    { type: "tool_use", id: "a", name: "f", input: { x: 1 } },
  ],
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 9 },
};
const responses: JsonRecord = {
  id: "r",
  status: "completed",
  output: [{ type: "message", id: "ms", content: [{ type: "output_text", text: "Hm." }] }],
  usage: { input_tokens: 5, output_tokens: 9 },
};
const gemini: JsonRecord = {
  candidates: [
    { content: { role: "model", parts: [{ text: "Hm." }] }, finishReason: "STOP", index: 0 },
  ],
  usageMetadata: { promptTokenCount: 5 },
};

describe("a whole reply and its events say the same", () => {
  test.each([
    ["chat completions", chat, streamChatReply(chat), foldChatEvents],
    ["Messages", messages, streamMessagesReply(messages), foldMessagesEvents],
    ["Responses", responses, streamResponsesReply(responses), foldResponsesEvents],
    ["Gemini", gemini, streamGeminiReply(gemini), foldGeminiEvents],
  ] as const)("in %s", (_, whole, events, fold) => {
    expect(fold(readEvents(splitEvents(Buffer.from(events)) ?? []))).toEqual(whole);
  });
});

test("pieces of a call and of a text are put together", () => {
  const chunk = (delta: JsonRecord, finish_reason: string | null = null): JsonRecord => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  const call = (piece: JsonRecord) => chunk({ tool_calls: [{ index: 0, ...piece }] });
  const events = [
    chunk({ role: "assistant", content: "H" }),
    chunk({ content: "m." }),
    call({ id: "a", type: "function", function: { name: "f", arguments: '{"x"' } }),
    call({ function: { arguments: ":1}" } }),
    chunk({}, "tool_calls"),
  ];
  expect(foldChatEvents(events)?.choices).toEqual([
    {
      index: 0,
      message: {
        role: "assistant",
        content: "Hm.",
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } }],
      },
      finish_reason: "tool_calls",
    },
  ]);
});

test.each([
  ["data: {}\n\n", true],
  [": a comment\n\ndata: {}", true],
  ["\uFEFFevent: x\ndata: {}", true],
  ['{"data":1}', false],
  ["", false],
  ["<html>", false],
])("%j begins as events: %s", (body, begins) => {
  expect(beginsAsEvents(Buffer.from(body))).toBe(begins);
});

test("nothing of hostile events throws", () => {
  for (const value of [
    null,
    7,
    "x",
    [],
    { choices: 7 },
    { choices: [{ delta: 7 }] },
    { type: "message_start", message: 7 },
  ])
    for (const fold of [foldChatEvents, foldMessagesEvents, foldResponsesEvents, foldGeminiEvents])
      expect(() => fold(readEvents([`data: ${JSON.stringify(value)}\n\n`]))).not.toThrow();
});

test("a call whose number does not begin at zero is one call", () => {
  const piece = (called: JsonRecord) => ({
    choices: [
      { index: 0, delta: { tool_calls: [{ index: 1, function: called }] }, finish_reason: null },
    ],
  });
  const whole = foldChatEvents([
    piece({ name: "f", arguments: '{"x":' }),
    piece({ arguments: "1}" }),
  ]);
  expect(whole?.choices).toMatchObject([
    { message: { tool_calls: [{ function: { name: "f", arguments: '{"x":1}' } }] } },
  ]);
});

test("a body of two hundred thousand events is put together", () => {
  const part = { candidates: [{ index: 0, content: { parts: [{ text: "x" }] } }] };
  const whole = foldGeminiEvents(Array.from({ length: 200_000 }, () => part));
  expect(whole).toMatchObject({ candidates: [{ content: { role: "model" } }] });
  const chunk = {
    choices: [{ index: 0, delta: { content: "x", reasoning_details: [{ text: "y" }] } }],
  };
  const answer = foldChatEvents(Array.from({ length: 200_000 }, () => chunk));
  expect(answer).toMatchObject({ choices: [{ message: { content: "x".repeat(200_000) } }] });
});
