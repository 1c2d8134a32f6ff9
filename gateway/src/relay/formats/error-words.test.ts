import { describe, expect, test } from "vitest";
import { buildErrorFromResponse } from "../upstream/upstream-error.ts";
import { record } from "../wire/json-parts.ts";
import type { RelayRefusal } from "../wire/relay-refusal.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { chatCompletions } from "./chat-completions.ts";
import { gemini } from "./gemini.ts";
import { responses } from "./responses.ts";

const refusal = (status: number, type: string, more: Partial<RelayRefusal> = {}): RelayRefusal => ({
  status,
  type,
  message: "No",
  ...more,
});
const written = { chatCompletions, responses, anthropicMessages, gemini };
const namedBy = (format: keyof typeof written, said: RelayRefusal): unknown => {
  const body = record(JSON.parse(written[format].errorFormat.errorBody(said, "r")) as unknown);
  const error = record(body.error);
  return format === "gemini" ? error.status : error.type;
};

test.each([
  // Programs written for one-api know its type of refusals by the gateway itself.
  [refusal(401, "one_api_error"), "one_api_error", "authentication_error", "UNAUTHENTICATED"],
  [refusal(403, "one_api_error"), "one_api_error", "permission_error", "PERMISSION_DENIED"],
  [refusal(429, "one_api_error"), "one_api_error", "rate_limit_error", "RESOURCE_EXHAUSTED"],
  [refusal(404, "invalid_request_error"), "invalid_request_error", "not_found_error", "NOT_FOUND"],
  [
    refusal(409, "invalid_request_error"),
    "invalid_request_error",
    "invalid_request_error",
    "FAILED_PRECONDITION",
  ],
  [
    refusal(400, "upstream_error"),
    "invalid_request_error",
    "invalid_request_error",
    "INVALID_ARGUMENT",
  ],
  [
    refusal(413, "upstream_error"),
    "invalid_request_error",
    "request_too_large",
    "INVALID_ARGUMENT",
  ],
  [
    refusal(403, "insufficient_quota"),
    "insufficient_quota",
    "permission_error",
    "PERMISSION_DENIED",
  ],
  [refusal(429, "billing_error"), "billing_error", "billing_error", "RESOURCE_EXHAUSTED"],
  [refusal(500, "upstream_error"), "server_error", "api_error", "INTERNAL"],
  [refusal(502, "upstream_error"), "server_error", "api_error", "INTERNAL"],
  [refusal(503, "one_api_error"), "server_error", "overloaded_error", "UNAVAILABLE"],
  [refusal(529, "overloaded_error"), "server_error", "overloaded_error", "UNAVAILABLE"],
  [refusal(504, "upstream_error"), "server_error", "api_error", "DEADLINE_EXCEEDED"],
])("%j is named by each dialect's own word", (said, openai, anthropic, google) => {
  expect(namedBy("chatCompletions", said)).toBe(openai);
  expect(namedBy("responses", said)).toBe(openai);
  expect(namedBy("anthropicMessages", said)).toBe(anthropic);
  expect(namedBy("gemini", said)).toBe(google);
});

describe("a prompt that is too long", () => {
  const tooLong = (status: number, error: object): RelayRefusal =>
    buildErrorFromResponse(status, Buffer.from(JSON.stringify({ error })), {}, 0).refusal;
  test.each([
    [
      "OpenAI",
      {
        message: "Your input exceeds the context window of this model.",
        code: "context_length_exceeded",
      },
    ],
    [
      "vLLM",
      {
        message: "This model's maximum context length is 8192 tokens. However, you asked for 9000.",
      },
    ],
    [
      "Anthropic",
      {
        type: "invalid_request_error",
        message: "prompt is too long: 210000 tokens > 200000 maximum",
      },
    ],
    [
      "Google",
      {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: "The input token count (9) exceeds the maximum number of tokens allowed (8).",
      },
    ],
    [
      "Together",
      {
        message:
          "Requested token count exceeds the model's maximum context length of 131072 tokens.",
      },
    ],
    ["Alibaba", { message: "Range of input length should be [1, 129024]" }],
    [
      "Mistral",
      {
        message:
          "Prompt contains 140000 tokens, too large for model with 131072 maximum context length",
      },
    ],
    [
      "Cohere",
      { message: "too many tokens: total number of tokens in the prompt cannot exceed 4081" },
    ],
    ["Zhipu", { message: "Prompt exceeds max length" }],
    [
      "xAI",
      {
        message:
          "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
      },
    ],
    ["Groq", { message: "Please reduce the length of the messages or completion." }],
    ["Moonshot", { message: "Invalid request: Your request exceeded model token limit: 8192" }],
    ["llama.cpp", { message: "the request exceeds the available context size. try increasing it" }],
  ])("of %s is told in the words at which agents shorten their conversation", (_, error) => {
    const refused = tooLong(400, error);
    for (const format of ["chatCompletions", "responses"] as const)
      expect(JSON.parse(written[format].errorFormat.errorBody(refused, "r"))).toMatchObject({
        error: { code: "context_length_exceeded", type: "invalid_request_error" },
      });
    expect(written.anthropicMessages.errorFormat.errorBody(refused, "r")).toMatch(
      /"message":"prompt is too long/,
    );
    expect(written.responses.errorFormat.streamError(refused, "r")).toMatch(
      /response\.failed.*context_length_exceeded/s,
    );
  });

  test("is no other refusal that quotes such words further on", () => {
    const quoted =
      "Invalid value at messages[0].content of the role user, which is a string: 'the prompt is too long'";
    expect(tooLong(400, { message: quoted })).not.toHaveProperty("isContextTooLong");
  });
});

describe("in a stream", () => {
  const cut = refusal(502, "upstream_error", { code: "upstream_cut" });
  const eventsOf = (format: keyof typeof written, said: RelayRefusal, sent?: Buffer): unknown[] =>
    written[format].errorFormat
      .streamError(said, "20261128-1", sent)
      .split("\n\n")
      .flatMap((event) => /^data: (\{.*)$/m.exec(event)?.[1] ?? [])
      .map((data) => JSON.parse(data) as unknown);

  test("the type is the dialect's, and our reason stays in the code", () => {
    const message = expect.stringContaining("No");
    expect(eventsOf("chatCompletions", cut)).toEqual([
      { error: { message, type: "server_error", param: null, code: "upstream_cut" } },
    ]);
    expect(eventsOf("anthropicMessages", cut)).toMatchObject([
      { error: { type: "api_error", code: "upstream_cut" } },
    ]);
    expect(eventsOf("gemini", cut)).toMatchObject([{ error: { status: "INTERNAL", code: 502 } }]);
    expect(eventsOf("chatCompletions", refusal(429, "one_api_error"))).toMatchObject([
      { error: { type: "rate_limit_error" } },
    ]);
  });

  test("a response ends with the error and then with the failed response, numbered on", () => {
    const sent = Buffer.from(
      'data: {"sequence_number":6}\n\ndata: {"sequence_number":7,"delta":"x"}\n\n',
    );
    expect(eventsOf("responses", cut, sent)).toMatchObject([
      { type: "error", sequence_number: 8, code: "upstream_cut" },
      {
        type: "response.failed",
        sequence_number: 9,
        response: {
          object: "response",
          status: "failed",
          error: { code: "upstream_cut" },
          output: [],
        },
      },
    ]);
    expect(eventsOf("responses", cut)).toMatchObject([
      { sequence_number: 0 },
      { sequence_number: 1 },
    ]);
  });

  test("a balance that ran out has the code on which agents stop", () => {
    const broke = refusal(403, "insufficient_quota", { code: "streaming_billing_failed" });
    expect(eventsOf("responses", broke)).toMatchObject([
      { code: "streaming_billing_failed" },
      { response: { error: { code: "insufficient_quota" } } },
    ]);
  });
});

describe("a conversation that is too long is refused in the words at which agents shorten theirs", () => {
  const tooLong = (message: string) =>
    refusal(400, "invalid_request_error", { message, isContextTooLong: true });
  const wordsOf: Readonly<Record<keyof typeof written, RegExp>> = {
    chatCompletions: /reduce the length of the messages: .*too many tokens/,
    responses: /exceeds the context window of this model: too many tokens/,
    anthropicMessages: /prompt is too long: too many tokens/,
    gemini: /input token count exceeds the maximum number of tokens allowed: too many tokens/,
  };

  test.for(Object.keys(wordsOf) as (keyof typeof written)[])("%s", (format) => {
    const told = written[format].errorFormat.errorBody(tooLong("too many tokens"), "id");
    expect(told).toMatch(wordsOf[format]);
  });

  test("a provider's words that have them stay as they are", () => {
    const said = "This model's maximum context length is 128000 tokens.";
    const told = written.chatCompletions.errorFormat.errorBody(tooLong(said), "id");
    expect(JSON.parse(told)).toMatchObject({
      error: { message: expect.stringMatching(/^This model's maximum context length is 128000/) },
    });
  });
});
