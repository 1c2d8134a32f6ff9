import { expect, test } from "vitest";
import { anthropicMessages } from "./anthropic-messages.ts";
import { chatCompletions } from "./chat-completions.ts";
import { detectFormat } from "./detect-format.ts";
import { embeddings } from "./openai-basic-formats.ts";
import { responses } from "./responses.ts";

const shapes = { chat: chatCompletions, responses, messages: anthropicMessages, embeddings };
type DetectedFormatName = keyof typeof shapes;

const hello = { role: "user", content: "Hello" };
const chat = { messages: [hello] };
const blocks = (type: string) => ({ messages: [{ role: "user", content: [{ type }] }] });

test.each<[DetectedFormatName, object, DetectedFormatName]>([
  // A body that fits its endpoint's format keeps it, even if it fits another as well.
  ["chat", chat, "chat"],
  ["messages", chat, "messages"],
  ["responses", { input: "Hello" }, "responses"],
  ["chat", { ...chat, input: "Hello" }, "chat"],
  ["messages", { ...chat, system: "Be kind.", tools: [{ input_schema: {} }] }, "messages"],
  ["messages", { system: "Be kind.", messages: [{ role: "system", content: "x" }] }, "messages"],
  ["chat", { ...chat, system: null }, "chat"],
  ["messages", { ...chat, response_format: null }, "messages"],
  ["responses", { previous_response_id: "resp_1" }, "responses"],
  ["embeddings", { input: "Hello" }, "embeddings"],

  ["chat", { input: "Hello" }, "responses"],
  ["chat", { instructions: "Be kind." }, "responses"],
  ["messages", { input: [hello], max_output_tokens: 9 }, "responses"],

  ["chat", { ...chat, system: "Be kind." }, "messages"],
  ["chat", { ...chat, tools: [{ name: "f", input_schema: {} }] }, "messages"],
  ["chat", blocks("tool_use"), "messages"],
  ["chat", blocks("tool_result"), "messages"],
  ["chat", blocks("image_url"), "chat"],
  ["responses", { ...chat, system: "Be kind." }, "messages"],

  ["responses", chat, "chat"],
  ["messages", { messages: [{ role: "system", content: "Be kind." }, hello] }, "chat"],
  ["messages", { messages: [{ role: "assistant", tool_calls: [] }] }, "chat"],
  ["messages", { ...chat, tools: [{ type: "function", function: { name: "f" } }] }, "chat"],
  ["messages", { ...chat, max_completion_tokens: 9 }, "chat"],
])("at the endpoint of %s %j has the format of %s", (entered, json, shape) => {
  expect(detectFormat(shapes[entered], json)).toBe(shapes[shape]);
});

test.each([
  null,
  7,
  "x",
  [],
  {},
  { messages: 7 },
  { messages: [null, 7, { content: [null] }], tools: [null] },
])("%j stays where it is", (json) => {
  for (const entered of [chatCompletions, anthropicMessages, responses]) {
    const isOtherwise =
      entered === responses && Array.isArray((json as { messages?: unknown } | null)?.messages);
    expect(detectFormat(entered, json)).toBe(isOtherwise ? chatCompletions : entered);
  }
});
