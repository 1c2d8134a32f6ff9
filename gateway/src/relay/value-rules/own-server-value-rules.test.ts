// Conversations for servers of open models, of which the model's name alone tells something.
import { channelTypeIds } from "@tollgate/contract/catalogue/channel-types.ts";
import { expect, test } from "vitest";
import { applyValueRules } from "./apply-value-rules.ts";

const sent = (body: object, model: string, channelType: number = channelTypeIds.compatible) =>
  applyValueRules({ ...body }, "chat_completions", model, { channelType }).body;
const user = { role: "user", content: "hi" };

test("the system of a model whose template reads one is one message at the start", () => {
  const body = {
    messages: [
      { role: "system", content: "Be kind." },
      user,
      { role: "system", content: "Be brief." },
      { role: "assistant", content: "Hello." },
      user,
    ],
  };
  const joined = {
    messages: [
      { role: "system", content: "Be kind.\n\nBe brief." },
      user,
      { role: "assistant", content: "Hello." },
      user,
    ],
  };
  expect(sent(body, "Qwen/Qwen3.6-27B")).toEqual(joined);
  expect(sent(body, "ministral-3")).toEqual(joined);
  expect(sent(body, "llama-4")).toEqual(body);
  expect(sent(body, "mistral-large-2512", channelTypeIds.mistral)).toEqual(body);
});

test("turns of one role are one turn where the template demands that they alternate", () => {
  const picture = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
  const body = {
    messages: [
      user,
      { role: "user", content: [picture] },
      { role: "assistant", content: "Well." },
      { role: "assistant", content: "Go on." },
    ],
  };
  expect(sent(body, "gemma-3-27b-it")).toEqual({
    messages: [
      { role: "user", content: [{ type: "text", text: "hi" }, picture] },
      { role: "assistant", content: "Well.\n\nGo on." },
    ],
  });
  expect(sent(body, "llama-4")).toEqual(body);
});

test("the switch of the template stands beside that of the maker's own API", () => {
  const body = { messages: [user], reasoning_effort: "none" };
  const off = { enable_thinking: false, thinking: false };
  expect(sent(body, "Qwen/Qwen3-32B")).toMatchObject({
    enable_thinking: false,
    chat_template_kwargs: off,
  });
  expect(sent(body, "deepseek-v4")).toMatchObject({
    thinking: { type: "disabled" },
    chat_template_kwargs: off,
  });
  expect(sent(body, "qwen3-32b", channelTypeIds.qianwen)).not.toHaveProperty(
    "chat_template_kwargs",
  );
});

test("a router reads one word of effort for every model", () => {
  const body = { messages: [user], reasoning_effort: "none" };
  expect(sent(body, "deepseek/deepseek-v4", channelTypeIds.openRouter)).toEqual(body);
  expect(sent(body, "deepseek-v4", channelTypeIds.deepSeek)).toEqual({
    messages: [user],
    thinking: { type: "disabled" },
  });
});
