import { translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import { efforts } from "../value-rules/thinking-effort.ts";
import { chatToGemini } from "./chat-to-gemini.ts";
import { chatToMessages } from "./chat-to-messages.ts";
import { chatToResponses } from "./chat-to-responses.ts";
import { composeTranslations } from "./composed-translation.ts";
import { messagesThroughChat, messagesToChat } from "./messages-to-chat.ts";
import { responsesToChat } from "./responses-to-chat.ts";

const messages = [{ role: "user", content: "hi" }];

describe("the effort of a client of Messages", () => {
  const claude = (more: object): object => ({ max_tokens: 100, messages, ...more });
  const asked = (model: string, more: object) =>
    translatedBody(messagesToChat, { model, ...claude(more) }, model);
  const adaptive = { thinking: { type: "adaptive" } };

  test.each([
    ["gpt-5.4", "low", "low"],
    ["gpt-5.4", "xhigh", "xhigh"],
    ["gpt-5.4", "max", "xhigh"],
    ["gpt-5", "max", "high"],
    ["gpt-6-astra", "max", "max"],
    ["o4-mini", "max", "high"],
  ])("is told to %s: %s becomes %s", (model, effort, told) => {
    expect(asked(model, { ...adaptive, output_config: { effort } }).reasoning_effort).toBe(told);
  });

  test.each([
    ["gpt-5.4", "none"],
    ["gpt-5", "minimal"],
    ["o4-mini", "low"],
  ])("with thinking off, %s thinks as little as it can: %s", (model, told) => {
    expect(asked(model, { thinking: { type: "disabled" } }).reasoning_effort).toBe(told);
  });

  test("without a word about it, the budget decides, and a model that does not reason is told none", () => {
    expect(
      asked("gpt-5", { thinking: { type: "enabled", budget_tokens: 2_048 } }).reasoning_effort,
    ).toBe("medium");
    expect(asked("gpt-5", {})).not.toHaveProperty("reasoning_effort");
    expect(asked("gpt-4o", { ...adaptive, output_config: { effort: "low" } })).not.toHaveProperty(
      "reasoning_effort",
    );
  });

  test("reaches Google's levels", () => {
    const overGemini = composeTranslations(messagesThroughChat, chatToGemini);
    const model = "gemini-3-flash-preview";
    const body = translatedBody(
      overGemini,
      { model, ...claude({ ...adaptive, output_config: { effort: "max" } }) },
      model,
    );
    expect(body).toMatchObject({ generationConfig: { thinkingConfig: { thinkingLevel: "high" } } });
  });
});

test.each([
  ["gemini-3-flash-preview", ["minimal", "minimal", "low", "medium", "high", "high", "high"]],
  ["gemini-3-pro-preview", ["low", "low", "low", "high", "high", "high", "high"]],
  ["gemini-3.1-pro-preview", ["low", "low", "low", "medium", "high", "high", "high"]],
])("%s is told levels that it has", (model, levels) => {
  const told = efforts.map((reasoning_effort) => {
    const { generationConfig } = translatedBody(
      chatToGemini,
      { model, messages, reasoning_effort },
      model,
    );
    return (generationConfig as { thinkingConfig: { thinkingLevel: string } }).thinkingConfig
      .thinkingLevel;
  });
  expect(told).toEqual(levels);
});

test.each([
  ["claude-opus-5", ["low", "low", "medium", "high", "xhigh", "max"]],
  ["claude-opus-4-7", ["low", "low", "medium", "high", "xhigh", "max"]],
])("%s is told efforts that it has", (model, told) => {
  const asked = efforts.slice(1).map((reasoning_effort) => {
    const { output_config } = translatedBody(
      chatToMessages,
      { model, messages, reasoning_effort },
      model,
    );
    return (output_config as { effort: string }).effort;
  });
  expect(asked).toEqual(told);
});

test.each([
  ["gpt-5.1", "xhigh", "high"],
  ["gpt-5.2", "minimal", "low"],
  ["gpt-5.1-codex-max", "xhigh", "xhigh"],
  ["gpt-5-pro", "low", "high"],
  ["gpt-5-chat-latest", "high", "medium"],
  ["some-model", "xhigh", "xhigh"],
  ["some-model", "as you like", "as you like"],
])("%s gets for %s what it accepts, in both of OpenAI's APIs: %s", (model, effort, told) => {
  const overResponses = translatedBody(
    chatToResponses,
    { model, messages, reasoning_effort: effort },
    model,
  );
  expect(overResponses.reasoning).toEqual({ effort: told });
  const overChat = translatedBody(
    responsesToChat,
    { model, input: "hi", reasoning: { effort } },
    model,
  );
  expect(overChat.reasoning_effort).toBe(told);
});
