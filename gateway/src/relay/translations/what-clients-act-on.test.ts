// What a provider enforces and what a client acts on, beside the grammar of each API: the same on
// every way between two of them.
import {
  type ConversationEndpoint,
  conversationEndpoints,
} from "@tollgate/tests/conformance/conversation-scenario.ts";
import { callOf, planOver } from "@tollgate/tests/conformance/in-process-relay.ts";
import { translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import { detectFormat } from "../formats/detect-format.ts";
import { type JsonRecord, record, records } from "../wire/json-parts.ts";
import { chatToConverse } from "./chat-to-converse.ts";
import { chatToGemini } from "./chat-to-gemini.ts";
import { chatToMessages } from "./chat-to-messages.ts";
import { composeTranslations } from "./composed-translation.ts";
import { messagesThroughChat, messagesToChat } from "./messages-to-chat.ts";

const sse = (data: JsonRecord): string => `data: ${JSON.stringify(data)}\n\n`;
const called: JsonRecord = {
  id: "call_1",
  type: "function",
  function: { name: "look", arguments: "{}" },
};

describe.each(conversationEndpoints)("a client of %s", (endpoint: ConversationEndpoint) => {
  const over = (spoken: Parameters<typeof planOver>[1]) => {
    const { translator } = planOver(callOf(endpoint), spoken);
    if (!translator) throw new Error("there is nothing to translate");
    return translator;
  };
  /** The words for an answer that ends in calls; Gemini and Responses have none. */
  const words: Readonly<Partial<Record<ConversationEndpoint, string>>> = {
    "Chat Completions": '"tool_calls"',
    Messages: '"tool_use"',
  };
  const word = words[endpoint];

  if (endpoint !== "Chat Completions")
    test.each(["stop", "length", "tool_calls"])(
      "is told calls that end with %s",
      (finish_reason) => {
        const choice = {
          index: 0,
          message: { role: "assistant", content: null, tool_calls: [called] },
          finish_reason,
        };
        const whole = JSON.stringify(
          over("chat_completions").translateReply({ id: "c", choices: [choice] }),
        );
        const streaming = over("chat_completions");
        const streamed = [
          { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...called }] } }] },
          { choices: [{ index: 0, delta: {}, finish_reason }] },
        ]
          .map((data) => streaming.translateEvent(sse(data)))
          .concat(streaming.finish())
          .join("");
        if (word === undefined || finish_reason === "length")
          return expect(whole + streamed).toContain("look");
        expect(whole).toContain(`"stop_reason":${word}`);
        expect(streamed).toContain(`"stop_reason":${word}`);
      },
    );

  if (endpoint !== "Messages")
    test("is told calls of Anthropic that end as any turn", () => {
      const content = [{ type: "tool_use", id: "a", name: "look", input: {} }];
      const whole = over("claude_messages").translateReply({
        id: "m",
        content,
        stop_reason: "end_turn",
        usage: {},
      });
      if (word !== undefined) expect(JSON.stringify(whole)).toContain(`"finish_reason":${word}`);
      else expect(JSON.stringify(whole)).toContain("look");
    });

  test("gets the name of a call that comes after its id", () => {
    if (endpoint === "Chat Completions") return;
    const translator = over("chat_completions");
    const pieces = [
      { id: "call_1", type: "function", function: { arguments: "" } },
      { function: { name: "look", arguments: "{}" } },
    ];
    const streamed = pieces
      .map((piece) =>
        translator.translateEvent(
          sse({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...piece }] } }] }),
        ),
      )
      .concat(
        translator.translateEvent(
          sse({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }),
        ),
      )
      .concat(translator.finish())
      .join("");
    expect(streamed).toContain('"name":"look"');
    expect(streamed).not.toContain('"name":""');
  });

  test("is told how much was written to the provider's cache", () => {
    if (endpoint === "Gemini") return;
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 900,
      cache_read_input_tokens: 50,
      output_tokens: 5,
    };
    const prompt_tokens_details = { cached_tokens: 50, cache_write_tokens: 900 };
    const openAi = {
      prompt_tokens: 960,
      completion_tokens: 5,
      total_tokens: 965,
      prompt_tokens_details,
    };
    const choices = [{ index: 0, message: { content: "ok" }, finish_reason: "stop" }];
    const told =
      endpoint === "Messages"
        ? over("chat_completions").translateReply({ id: "c", choices, usage: openAi })
        : over("claude_messages").translateReply({
            id: "m",
            content: [],
            stop_reason: "end_turn",
            usage,
          });
    expect(JSON.stringify(told)).toMatch(/"cache_(?:write|creation_input)_tokens":900/);
  });
});

const user = (content: unknown): JsonRecord => ({ role: "user", content });

test.each([
  ["image/jpg", "image/jpeg"],
  ["IMAGE/JPEG", "image/jpeg"],
  ["image/jpeg;charset=utf-8", "image/jpeg"],
  ["image/png", "image/png"],
])("a picture that is called %s goes out as %s", (written, sent) => {
  const picture = { type: "image_url", image_url: { url: `data:${written};base64,aGk=` } };
  const messages = [user([picture])];
  const toMessages = translatedBody(chatToMessages, { model: "m", messages }, "m");
  expect(JSON.stringify(toMessages)).toContain(`"media_type":"${sent}"`);
  expect(JSON.stringify(translatedBody(chatToGemini, { model: "m", messages }, "m"))).toContain(
    `"mimeType":"${sent}"`,
  );
});

test("a conversation of the system alone is one of the user where the API demands it", () => {
  const messages = [{ role: "system", content: "Name a colour." }];
  const [first] = records(translatedBody(chatToMessages, { model: "m", messages }, "m").messages);
  expect(first).toMatchObject({ role: "user", content: [{ text: "Name a colour." }] });
  const [content] = records(translatedBody(chatToGemini, { model: "m", messages }, "m").contents);
  expect(content).toMatchObject({ role: "user" });
  const [converse] = records(
    translatedBody(chatToConverse, { model: "m", messages }, "m").messages,
  );
  expect(converse).toMatchObject({ role: "user" });
});

describe("messages of the system between the others of Messages", () => {
  const body = {
    model: "m",
    max_tokens: 9,
    messages: [
      user("a"),
      { role: "system", content: [{ type: "text", text: "Plan mode is on." }] },
      user("c"),
    ],
  };

  test("are no sign of chat completions", () => {
    expect(detectFormat(anthropicMessages, body)).toBe(anthropicMessages);
    const { max_tokens: _, ...chat } = body;
    expect(detectFormat(anthropicMessages, chat)).toBe(chatCompletions);
  });

  test("stay messages of the system", () => {
    const sent = records(translatedBody(messagesToChat, body, "m").messages);
    expect(sent[1]).toEqual({ role: "system", content: "Plan mode is on." });
    const overGemini = translatedBody(
      composeTranslations(messagesThroughChat, chatToGemini),
      body,
      "m",
    );
    expect(JSON.stringify(record(overGemini.systemInstruction))).toContain("Plan mode is on.");
  });
});
