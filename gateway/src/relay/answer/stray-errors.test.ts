// Errors in a stream in forms that its API does not have: an agent would take the answer before
// them for a whole one.
import type { ConversationEndpoint } from "@tollgate/tests/conformance/conversation-scenario.ts";
import { callOf } from "@tollgate/tests/conformance/in-process-relay.ts";
import { describe, expect, test } from "vitest";
import type { StreamEventFacts } from "../formats/api-format.ts";
import { buildErrorInStream } from "../upstream/upstream-error.ts";
import { findBadEnd, withStrayErrors } from "./stray-errors.ts";

const readIn = (api: ConversationEndpoint, event: string): StreamEventFacts => {
  const call = callOf(api);
  return withStrayErrors(call.upstream.createEventReader(call))(event);
};
const dataOf = (json: unknown): string => `data: ${JSON.stringify(json)}\n\n`;
const words = "it broke";
const apis = ["Chat Completions", "Responses", "Messages", "Gemini"] as const;

describe.each(apis)("a stream of %s", (api) => {
  test.each<[string, string, number]>([
    ["the body of OpenAI", dataOf({ error: { message: words, type: "rate_limit_error" } }), 429],
    ["the body of Google", dataOf({ error: { code: 503, message: words } }), 503],
    ["the list of Google", dataOf([{ error: { code: 503, message: words } }]), 503],
    [
      "a body as it is",
      `${JSON.stringify({ error: { code: 429, message: words } }, null, 1)}\n\n`,
      429,
    ],
    ["a body before the end", `${JSON.stringify({ error: words })}\ndata: [DONE]\n\n`, 502],
    [
      "vLLM's",
      dataOf({ object: "error", message: words, type: "BadRequestError", code: 400 }),
      400,
    ],
    ["Mistral's", dataOf({ object: "error", message: { detail: words }, code: "1000" }), 502],
    ["FastAPI's", dataOf({ detail: words }), 502],
    [
      "MiniMax's",
      dataOf({ choices: null, base_resp: { status_code: 1002, status_msg: words } }),
      429,
    ],
    ["Alibaba's", `event:error\n${dataOf({ code: "Throttling", message: words })}`, 429],
    ["an event of that name", `event: error\n${dataOf({ message: words })}`, 502],
    ["words under that name", `event: error\ndata: ${words}\n\n`, 502],
  ])("fails with %s", (_, event, status) => {
    const facts = readIn(api, event);
    expect(facts.kind).toBe("error");
    expect(buildErrorInStream(facts.error)).toMatchObject({
      status,
      reason: expect.stringContaining(words) as string,
    });
  });

  test.each([
    ": keep-alive\n\n",
    "event: ping\ndata: {}\n\n",
    "data: {}\n\n",
    "data:\n\n",
    dataOf({ error: null, choices: [] }),
    dataOf({ base_resp: { status_code: 0, status_msg: "" } }),
    dataOf({ status: "queued" }),
    dataOf({ code: 0, message: "ok" }),
    dataOf({ message: "a word without a status" }),
    dataOf("words alone"),
    "data: cut off {\n\n",
  ])("goes on behind %j", (event) => expect(readIn(api, event).kind).not.toBe("error"));
});

test("an answer that speaks of errors is none", () => {
  const said = dataOf({ choices: [{ index: 0, delta: { content: '{"error":"x"}' } }] });
  expect(readIn("Chat Completions", said).kind).toBe("content");
  const detail = { choices: [{ index: 0, delta: {} }], detail: "x", base_resp: { status_code: 1 } };
  expect(readIn("Chat Completions", dataOf(detail)).kind).toBe("other");
});

describe("a stream of Responses", () => {
  const ended = (type: string, response: object): StreamEventFacts =>
    readIn("Responses", dataOf({ type, response: { id: "resp_1", output: [], ...response } }));

  test("fails with a response that failed or was cancelled, whatever its event is called", () => {
    const error = { code: "rate_limit_exceeded", message: words };
    for (const type of ["response.failed", "response.completed", "response.incomplete"])
      expect(ended(type, { status: "failed", error })).toMatchObject({ kind: "error", error });
    expect(ended("response.cancelled", { status: "cancelled" })).toMatchObject({
      kind: "error",
      error: { code: "cancelled" },
    });
  });

  test("ends with one that is complete, or that reached its limit", () => {
    expect(ended("response.completed", { status: "completed" }).kind).toBe("done");
    expect(ended("response.incomplete", { status: "incomplete" }).kind).toBe("done");
  });
});

describe("a stream for a client that asked for none", () => {
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    dataOf({ choices: [{ index: 0, delta, finish_reason }] });
  const streams: readonly (readonly [ConversationEndpoint, readonly string[]])[] = [
    ["Chat Completions", [chunk({ content: "Hm." }), chunk({}, "stop"), "data: [DONE]\n\n"]],
    [
      "Responses",
      [
        dataOf({ type: "response.output_text.delta", output_index: 0, delta: "Hm." }),
        dataOf({ type: "response.completed", response: { status: "completed", output: [{}] } }),
      ],
    ],
    [
      "Messages",
      [
        dataOf({
          type: "content_block_delta",
          index: 0,
          delta: { type: "text_delta", text: "Hm." },
        }),
        dataOf({ type: "message_delta", delta: { stop_reason: "end_turn" } }),
      ],
    ],
    [
      "Gemini",
      [
        dataOf({ candidates: [{ content: { parts: [{ text: "Hm." }] } }] }),
        dataOf({ candidates: [{ content: { parts: [] }, finishReason: "STOP" }] }),
      ],
    ],
  ];

  test.each(streams)("of %s is an answer where it has its end", (api, events) => {
    expect(findBadEnd(callOf(api), events)).toBeUndefined();
    expect(findBadEnd(callOf(api), events.slice(0, 1))).toMatchObject({
      isRetryable: true,
      reason: "the stream ended early",
    });
    const failed = [...events.slice(0, 1), dataOf({ detail: words }), ...events.slice(1)];
    expect(findBadEnd(callOf(api), failed)?.reason).toContain(words);
  });

  test("ends with its own word alone, too", () =>
    expect(
      findBadEnd(callOf("Chat Completions"), [chunk({ content: "Hm." }), "data: [DONE]\n\n"]),
    ).toBeUndefined());
});
