// Streams that fail in their middle, as providers word it: the client of every format is told by an
// error of its own, and no answer ends as if it were whole.

import { startAnswer } from "@tollgate/trust/usage/answered-call.ts";
import { describe, expect, test } from "vitest";
import { chunk, ends } from "./compatible/answer-shapes.ts";
import { type ConversationEndpoint, conversationEndpoints } from "./conversation-scenario.ts";
import { callOf, entryOf, planOver } from "./in-process-relay.ts";

const chunks = (reason: string | null) =>
  ["A ", "word"].map((content) => `data: ${JSON.stringify(chunk({ content }, reason))}\n\n`);

test.each([null, "", "null"])(
  "a stream with the reason %j that breaks off has not ended",
  async (reason) => {
    for (const client of conversationEndpoints) {
      const stream = startAnswer(planOver(callOf(client), "chat_completions"), "text/event-stream");
      await stream.send(...chunks(reason));
      stream.cut();
      expect((await stream.result())?.outcome).toBe("cut");
      expect(stream.response.received).toContain("upstream_cut");
    }
  },
);

const failures: readonly [string, ConversationEndpoint, readonly object[], object][] = [
  [
    "OpenAI",
    "Chat Completions",
    [chunk({ content: "A " })],
    { error: { message: "It broke.", type: "server_error", code: null } },
  ],
  [
    "OpenRouter",
    "Chat Completions",
    [chunk({ content: "A " })],
    {
      ...chunk({ content: "" }, "error"),
      error: { code: 502, message: "It broke.", metadata: { provider_name: "p" } },
    },
  ],
  [
    "vLLM",
    "Chat Completions",
    [chunk({ content: "A " })],
    { object: "error", message: "It broke.", type: "InternalServerError", code: 500 },
  ],
  [
    "Groq",
    "Chat Completions",
    [chunk({ content: "A " })],
    {
      error: {
        message: "It broke.",
        type: "invalid_request_error",
        code: "tool_use_failed",
        failed_generation: "x",
      },
    },
  ],
  [
    "Anthropic",
    "Messages",
    [
      {
        type: "message_start",
        message: {
          id: "m",
          type: "message",
          role: "assistant",
          content: [],
          usage: { input_tokens: 5, output_tokens: 1 },
        },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "A " } },
    ],
    { type: "error", error: { type: "overloaded_error", message: "It broke." } },
  ],
  [
    "Azure",
    "Responses",
    [
      {
        type: "response.created",
        response: { id: "r", object: "response", status: "in_progress", output: [] },
      },
      {
        type: "response.output_text.delta",
        output_index: 0,
        content_index: 0,
        item_id: "i",
        delta: "A ",
      },
    ],
    {
      type: "response.failed",
      response: {
        id: "r",
        object: "response",
        status: "failed",
        error: { code: "server_error", message: "It broke." },
      },
    },
  ],
  [
    "Vertex",
    "Gemini",
    [{ candidates: [{ content: { role: "model", parts: [{ text: "A " }] }, index: 0 }] }],
    { error: { code: 503, message: "It broke.", status: "UNAVAILABLE" } },
  ],
];

describe.each(failures)(
  "an error of %s in the middle of a stream (%s)",
  (_, speaks, begun, failure) => {
    test.each(conversationEndpoints)(
      "reaches clients of %s as an error of theirs, and ends the answer",
      async (client) => {
        const stream = startAnswer(planOver(callOf(client), entryOf(speaks)), "text/event-stream");
        await stream.send(
          ...[...begun, failure].map((data) => `data: ${JSON.stringify(data)}\n\n`),
        );
        stream.end();
        expect((await stream.result())?.outcome).toBe("cut");
        const { received } = stream.response;
        // What a provider says of its own faults is for administrators; what it says of the request
        // is for its client.
        expect(received).toMatch(
          /"(bad_response_status_code|upstream_cut|server_error|tool_use_failed)"/,
        );
        expect(received).not.toMatch(ends[client].stop as RegExp);
      },
    );
  },
);
