// Blank texts inside results of tools, which Anthropic refuses like any other.
import { expect, test } from "vitest";
import { removeBlankTexts } from "./conversation-fits.ts";

test("a result keeps its words and loses its blank texts", () => {
  const block = (content: unknown) => ({ type: "tool_result", tool_use_id: "t", content });
  const words = { type: "text", text: "so" };
  const messages = [{ role: "user", content: [block([words, { type: "text", text: " " }])] }];
  expect(removeBlankTexts({ messages })).toEqual({
    messages: [{ role: "user", content: [block([words])] }],
  });
  const spoken = { messages: [{ role: "user", content: [block([words])] }] };
  expect(removeBlankTexts(spoken)).toBe(spoken);
});
