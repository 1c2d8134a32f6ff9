// Bodies as clients of other systems write them.
import { model, parseCall, planOver } from "@tollgate/tests/conformance/in-process-relay.ts";
import { expect, test } from "vitest";
import { anthropicMessages } from "./formats/anthropic-messages.ts";
import { chatCompletions } from "./formats/chat-completions.ts";
import { embeddings } from "./formats/openai-basic-formats.ts";
import { callOfJson, listPassedHeaders } from "./read-request.ts";

const options = {
  formatFor: () => chatCompletions,
  isEstimateRough: false,
  hasChoice: () => false,
  isServed: () => true,
};
const body = JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] });

test("a byte order mark before a body is no part of it", () => {
  const call = callOfJson(Buffer.from(`\uFEFF${body}`), {}, options);
  expect(call.body.toString("utf8")).toBe(body);
  expect(() => callOfJson(Buffer.from(`x${body}`), {}, options)).toThrow("not valid JSON");
});

test("half a character is sent to another API as the sign for none, and all else as it is", () => {
  const sent = (content: string): unknown => {
    const messages = [{ role: "user", content }];
    const { call } = planOver(parseCall(chatCompletions, { model, messages }), "claude_messages");
    return JSON.parse(call.body.toString("utf8"));
  };
  const asked = (text: string): object => ({
    messages: [{ role: "user", content: [{ type: "text", text }] }],
  });
  expect(sent("a\ud83d b")).toMatchObject(asked("a\uFFFD b"));
  for (const fine of ["a😀b", "\\ud83d", "a\u0000b"]) expect(sent(fine)).toMatchObject(asked(fine));
});

test.each<[unknown, boolean]>([
  ["a", false],
  [["a", "b"], false],
  [[1, 2], true],
  [[[1], [2]], true],
  [["a", 5], true],
  [[["a"]], true],
  [[{ text: "a" }], true],
  [{ image: "x" }, true],
])("only a channel that reads more than texts embeds %j: %s", (input, isAlone) => {
  const { ownApiFor } = embeddings.parseRequest({ model, input }, false);
  expect(ownApiFor === "token_ids").toBe(isAlone);
});

test("a header that says nothing is not passed on", () => {
  const headers = { "anthropic-version": " ", "anthropic-beta": "context-1m-2025-08-07" };
  expect(listPassedHeaders(headers, anthropicMessages)).toEqual([
    "anthropic-beta",
    "context-1m-2025-08-07",
  ]);
});
