// Pictures and files that clients put into turns in which providers refuse them.
import { expect, test } from "vitest";
import { applyValueRules } from "./apply-value-rules.ts";

const url = "data:image/png;base64,iVBORw0KGgo=";
const image = { type: "image_url", image_url: { url } };
const words = (text: string) => ({ type: "text", text });
const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };

test("the user's next turn in chat completions has those of the system and of the model", () => {
  const messages = [
    { role: "system", content: [words("Be kind."), image] },
    { role: "user", content: "hi" },
    { role: "assistant", content: [words("Look."), image], tool_calls: [call] },
    { role: "tool", tool_call_id: "a", content: "so" },
    { role: "user", content: "Who?" },
    { role: "assistant", content: [image] },
  ];
  expect(applyValueRules({ messages }, "chat_completions", "gpt-4o").body).toEqual({
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [image, words("hi")] },
      { role: "assistant", content: "Look.", tool_calls: [call] },
      { role: "tool", tool_call_id: "a", content: "so" },
      { role: "user", content: [image, words("Who?")] },
      { role: "user", content: [image] },
    ],
  });
});

test("a conversation whose pictures are the user's stays as it is", () => {
  const body = {
    messages: [
      { role: "user", content: [image, words("Who?")] },
      { role: "assistant", content: "Ann." },
    ],
  };
  expect(applyValueRules(body, "chat_completions", "gpt-4o").body).toBe(body);
});

const source = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
const block = { type: "image", source };

test("so has that of Messages", () => {
  const body = {
    system: [block],
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", content: [block] },
      { role: "user", content: [words("Who?")] },
    ],
  };
  expect(applyValueRules(body, "claude_messages", "claude-opus-5").body).toEqual({
    messages: [
      { role: "user", content: [block, words("hi")] },
      { role: "user", content: [block, words("Who?")] },
    ],
  });
});

test("Gemini's instruction keeps its words alone", () => {
  const picture = { inlineData: { mimeType: "image/png", data: "aGk=" } };
  const body = {
    systemInstruction: { parts: [{ text: "Be kind." }, picture] },
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
  };
  expect(applyValueRules(body, "gemini", "gemini-3-flash").body).toEqual({
    systemInstruction: { parts: [{ text: "Be kind." }] },
    contents: [{ role: "user", parts: [picture, { text: "hi" }] }],
  });
});

test("a mark for the cache stands before the documents of Converse", () => {
  const document = { document: { format: "txt", name: "a", source: { bytes: "aGk=" } } };
  const mark = { cachePoint: { type: "default" } };
  const sent = (content: object[]) =>
    applyValueRules({ messages: [{ role: "user", content }] }, "bedrock_converse", "nova").body;
  expect(sent([{ text: "t" }, document, mark])).toEqual({
    messages: [{ role: "user", content: [{ text: "t" }, mark, document] }],
  });
  expect(sent([{ text: "t" }, document, { text: "u" }, mark])).toEqual({
    messages: [{ role: "user", content: [{ text: "t" }, document, { text: "u" }, mark] }],
  });
});
