import { callOf, planOver, translated } from "@tollgate/tests/conformance/in-process-relay.ts";
import { translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import { type JsonRecord, record } from "../wire/json-parts.ts";
import { chatToMessages } from "./chat-to-messages.ts";
import { messagesThroughChat } from "./messages-to-chat.ts";
import { responsesThroughChat } from "./responses-to-chat.ts";

const event = (data: { type: string }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const chunksOf = (stream: string): JsonRecord[] =>
  stream
    .split("\n\n")
    .filter((text) => text.includes("data: {"))
    .map((text) => JSON.parse(text.slice(text.indexOf("{"))));
const deltasOf = (stream: string): JsonRecord[] =>
  chunksOf(stream).flatMap(({ choices }) =>
    (choices as { delta: JsonRecord }[]).map(({ delta }) => delta),
  );

const thoughts = [
  { type: "message_start", message: { id: "1", usage: { input_tokens: 5, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hm" } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2ln" } },
  { type: "content_block_stop", index: 0 },
  {
    type: "content_block_start",
    index: 1,
    content_block: { type: "redacted_thinking", data: "c2V0" },
  },
  { type: "content_block_stop", index: 1 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
].map(event);

describe("lists of a chat stream", () => {
  test("number their entries, because the official libraries merge them by number", () => {
    const blocks = deltasOf(
      translated(callOf("Chat Completions"), "claude_messages", thoughts),
    ).flatMap(({ thinking_blocks }) => thinking_blocks ?? []);
    expect(blocks).toEqual([
      { index: 0, type: "thinking", thinking: "hm", signature: "c2ln" },
      { index: 1, type: "redacted_thinking", data: "c2V0" },
    ]);
    const cited = (url: string) =>
      event({
        type: "response.output_text.annotation.added",
        annotation: { type: "url_citation", url },
      } as {
        type: string;
      });
    const annotations = deltasOf(
      translated(callOf("Chat Completions"), "response_api", [cited("a"), cited("b")]),
    );
    expect(annotations.flatMap((delta) => delta.annotations ?? [])).toEqual([
      { index: 0, type: "url_citation", url_citation: { url: "a" } },
      { index: 1, type: "url_citation", url_citation: { url: "b" } },
    ]);
  });

  test("lose the numbers on the way back: providers refuse unknown members", () => {
    const thinking_blocks = [{ index: 0, type: "thinking", thinking: "hm", signature: "c2ln" }];
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "so", thinking_blocks },
    ];
    expect(translatedBody(chatToMessages, { model: "m", messages }, "m").messages).toEqual([
      { role: "user", content: [{ type: "text", text: "hi" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "c2ln" },
          { type: "text", text: "so" },
        ],
      },
    ]);
  });
});

/** Gemini's models refuse a conversation whose calls lost their signatures. */
const signedCall = `data: ${JSON.stringify({
  candidates: [
    {
      content: {
        parts: [
          { text: "so" },
          { functionCall: { name: "f", args: { a: 1 } }, thoughtSignature: "c2ln" },
        ],
      },
      finishReason: "STOP",
    },
  ],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
})}\n\n`;
const signedBack = { extra_content: { google: { thought_signature: "c2ln" } } };

describe("Google's signature of a call", () => {
  test("survives in clients of Messages as a thinking block, whole and streamed", () => {
    const events = chunksOf(translated(callOf("Messages"), "gemini", [signedCall]));
    expect(events.map(({ delta }) => delta)).toContainEqual({
      type: "signature_delta",
      signature: "gemini:c2ln",
    });
    const json = JSON.parse(signedCall.slice(6));
    const whole = planOver(callOf("Messages"), "gemini").translator?.translateReply(json) as {
      content: JsonRecord[];
    };
    expect(whole.content.map(({ type }) => type)).toEqual(["text", "thinking", "tool_use"]);
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: whole.content },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: record(whole.content[2]).id, content: "3" }],
      },
    ];
    const body = translatedBody(messagesThroughChat, { model: "m", max_tokens: 9, messages }, "m");
    expect(body.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", tool_calls: [signedBack] },
      { role: "tool" },
    ]);
  });

  test("survives in clients of Responses as encrypted reasoning", () => {
    const call = callOf("Responses");
    const asking = {
      ...JSON.parse(call.body.toString()),
      include: ["reasoning.encrypted_content"],
    };
    const plan = planOver({ ...call, body: Buffer.from(JSON.stringify(asking)) }, "gemini");
    const reply = plan.translator?.translateReply(JSON.parse(signedCall.slice(6)));
    const { output } = reply as { output: JsonRecord[] };
    expect(output.map(({ type }) => type)).toEqual(["message", "reasoning", "function_call"]);
    const body = translatedBody(responsesThroughChat, { model: "m", input: output }, "m");
    const [turn] = body.messages as JsonRecord[];
    expect(turn).toMatchObject({ role: "assistant", tool_calls: [signedBack] });
  });
});
