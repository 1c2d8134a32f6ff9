import { conversationEndpoints } from "@tollgate/tests/conformance/conversation-scenario.ts";
import { callOf, planOver } from "@tollgate/tests/conformance/in-process-relay.ts";
import { translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import { type JsonRecord, record, records } from "../wire/json-parts.ts";
import { chatToMessages } from "./chat-to-messages.ts";
import { composeTranslations } from "./composed-translation.ts";
import { geminiToChat } from "./gemini-to-chat.ts";
import { messagesThroughChat, messagesToChat } from "./messages-to-chat.ts";
import { responsesToChat } from "./responses-to-chat.ts";

const call = { type: "tool_use", id: "c", name: "look", input: {} };
const result = {
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "c", content: "so" }],
};
const claude = (...blocks: JsonRecord[]): JsonRecord => ({
  max_tokens: 9,
  messages: [{ role: "user", content: "go" }, { role: "assistant", content: blocks }, result],
});
const thinking = { type: "thinking", thinking: "I need the tool.", signature: "" };
const assistantOf = (body: JsonRecord): JsonRecord =>
  records(body.messages).find(({ role }) => role === "assistant") ?? {};

describe("the words of a turn with calls", () => {
  const sent = (model: string, ...blocks: JsonRecord[]): JsonRecord =>
    assistantOf(translatedBody(messagesToChat, { model, ...claude(...blocks) }, model));

  test.each(["deepseek-v4-flash", "kimi-k2.6", "MiniMax-M3", "glm-5.2"])(
    "go back to %s, which refuses the turn without them",
    (model) => {
      expect(sent(model, thinking, call).reasoning_content).toBe("I need the tool.");
      expect(sent(model, thinking, { type: "text", text: "Done." })).not.toHaveProperty(
        "reasoning_content",
      );
    },
  );

  test("go to no other model, which would refuse them", () => {
    for (const model of ["gpt-5.4", "llama-4", "mistral-large"])
      expect(sent(model, thinking, call)).not.toHaveProperty("reasoning_content");
  });

  test("go back from clients of Responses and of Gemini too", () => {
    const model = "deepseek-v4-flash";
    const items = [
      { role: "user", content: "go" },
      { type: "reasoning", summary: [{ type: "summary_text", text: "I need the tool." }] },
      { type: "function_call", call_id: "c", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "so" },
    ];
    const ofResponses = assistantOf(
      translatedBody(responsesToChat, { model, input: items }, model),
    );
    expect(ofResponses.reasoning_content).toBe("I need the tool.");
    const contents = [
      { role: "user", parts: [{ text: "go" }] },
      {
        role: "model",
        parts: [
          { text: "I need the tool.", thought: true },
          { functionCall: { name: "look", args: {} } },
        ],
      },
      { role: "user", parts: [{ functionResponse: { name: "look", response: {} } }] },
    ];
    const ofGemini = assistantOf(translatedBody(geminiToChat, { contents }, model));
    expect(ofGemini.reasoning_content).toBe("I need the tool.");
  });
});

describe("what OpenRouter seals", () => {
  const model = "google/gemini-3-pro-preview";
  const sealed = {
    type: "reasoning.encrypted",
    data: "ENCRYPTED==",
    id: "c",
    format: "google-gemini-v1",
    index: 0,
  };
  const told = { type: "reasoning.text", text: "hm", format: "google-gemini-v1", index: 0 };
  const tool_calls = [{ id: "c", type: "function", function: { name: "look", arguments: "{}" } }];
  const message = {
    role: "assistant",
    content: "",
    reasoning: "hm",
    reasoning_details: [told, sealed],
    tool_calls,
  };
  const reply = { id: "c", choices: [{ index: 0, message, finish_reason: "tool_calls" }] };

  test("reaches a client of Messages as a signature, comes back whole, and goes to no other provider", () => {
    const { translator } = planOver(callOf("Messages"), "chat_completions");
    const content = records(record(translator?.translateReply(reply)).content);
    expect(content.map(({ type }) => type)).toEqual(["thinking", "thinking", "tool_use"]);
    const asked = { ...claude(...content), model };
    expect(assistantOf(translatedBody(messagesToChat, asked, model)).reasoning_details).toEqual([
      sealed,
    ]);
    expect(assistantOf(translatedBody(messagesToChat, asked, "gpt-5"))).not.toHaveProperty(
      "reasoning_details",
    );
    const overAnthropic = translatedBody(
      composeTranslations(messagesThroughChat, chatToMessages),
      asked,
      "claude-opus-5",
    );
    expect(JSON.stringify(overAnthropic)).not.toContain("openrouter:");
  });

  test.each(conversationEndpoints.filter((endpoint) => endpoint !== "Chat Completions"))(
    "is told to clients of %s in a stream",
    (endpoint) => {
      const client = callOf(endpoint);
      const include = { include: ["reasoning.encrypted_content"] };
      const body = Buffer.from(
        JSON.stringify({ ...JSON.parse(client.body.toString("utf8")), ...include }),
      );
      const { translator } = planOver(
        endpoint === "Responses" ? { ...client, body } : client,
        "chat_completions",
      );
      const chunk = {
        choices: [
          {
            index: 0,
            delta: { tool_calls: [{ index: 0, ...tool_calls[0] }], reasoning_details: [sealed] },
          },
        ],
      };
      const end = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
      const streamed = [chunk, end]
        .map((data) => translator?.translateEvent(`data: ${JSON.stringify(data)}\n\n`) ?? "")
        .concat(translator?.finish() ?? "")
        .join("");
      expect(streamed).toMatch(/signature_delta|encrypted_content|thoughtSignature/);
    },
  );
});
