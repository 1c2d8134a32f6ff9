import { expect, test } from "vitest";
import type { JsonRecord } from "../wire/json-parts.ts";
import { promptText } from "./prompt-text.ts";

const picture = "A".repeat(10_000);

test.each<[string, JsonRecord, string, number]>([
  ["chat", { messages: [{ role: "user", content: "hello" }] }, "hello", 4],
  [
    "chat with parts and calls of tools",
    {
      messages: [
        { role: "system", content: "be brief" },
        {
          role: "user",
          content: [
            { type: "text", text: "see" },
            { type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } },
          ],
        },
        {
          role: "assistant",
          tool_calls: [
            { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } },
          ],
        },
      ],
    },
    "be briefseelook{}",
    12 + 1_200,
  ],
  [
    "Messages",
    {
      system: "be brief",
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: picture } },
          ],
        },
        {
          role: "assistant",
          content: [{ type: "thinking", thinking: "hm", signature: "c2lnbmF0dXJl" }],
        },
      ],
    },
    "be briefhm",
    12 + 1_200,
  ],
  ["Responses", { instructions: "be brief", input: "hello" }, "be briefhello", 8],
  [
    "Gemini",
    {
      systemInstruction: { parts: [{ text: "be brief" }] },
      contents: [
        {
          role: "user",
          parts: [{ text: "hello" }, { inlineData: { mimeType: "image/png", data: picture } }],
        },
      ],
    },
    "be briefhello",
    8 + 1_200,
  ],
  [
    "a call whose length Gemini is asked for",
    { generateContentRequest: { contents: [{ parts: [{ text: "a" }] }] } },
    "a",
    4,
  ],
  ["embeddings", { input: ["one", "two"] }, "onetwo", 8],
  ["numbers of tokens", { input: [[1, 2], [3]] }, "", 8 + 3],
  ["text completions", { prompt: "once" }, "once", 4],
  ["rerank", { query: "which", documents: ["a", "b"] }, "whichab", 12],
  ["tools", { messages: [], tools: [{ name: "look" }] }, '[{"name":"look"}]', 0],
  ["no prompt at all", { model: "gpt-4o", temperature: 1 }, "", 0],
])("what a model reads of %s", (_, body, text, fixed) => {
  const { sample, fixedTokens } = promptText(body);
  expect([sample.read().parts.join(""), fixedTokens]).toEqual([text, fixed]);
});
