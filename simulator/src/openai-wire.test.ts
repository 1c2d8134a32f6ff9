import { expect, test } from "vitest";
import { openAiWire } from "./openai-wire.ts";
import { generateAnswer } from "./simulated-answer.ts";
import { InvalidRequestError } from "./wire-format.ts";

const envelope = { id: "sim1", model: "small", createdSeconds: 1_700_000_000, usageHidden: false };
const body = { model: "small", messages: [{ role: "user", content: "one two three" }] };
const usage = {
  prompt_tokens: 6,
  completion_tokens: 2,
  total_tokens: 8,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
};
const useTool = {
  model: "small",
  messages: [{ role: "user", content: "use tool" }],
  tools: [
    {
      type: "function",
      function: { name: "find", parameters: { properties: { query: { type: "string" } } } },
    },
  ],
};

const readQuestion = (request: unknown) => openAiWire.readRequest(request, "/v1/chat/completions");

const whole = (request: object, changes = {}) =>
  openAiWire.responseBody(generateAnswer(readQuestion(request), { text: "Hello there" }), {
    ...envelope,
    ...changes,
  });

function events(request: object, changes = {}) {
  const question = readQuestion(request);
  return [
    ...openAiWire.events(
      generateAnswer(question, { text: "Hello there" }),
      { ...envelope, ...changes },
      question,
    ),
  ];
}

function chunks(request: object, changes = {}) {
  return events(request, changes)
    .map(({ text }) => text.slice("data: ".length))
    .filter((text) => text.startsWith("{"))
    .map((text) => JSON.parse(text));
}

test("a whole answer has the fields of chat.completion", () => {
  expect(whole(body)).toEqual({
    id: "chatcmpl-sim1",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "small",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Hello there", refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage,
    service_tier: "default",
    system_fingerprint: "fp_simulator",
  });
});

test("a stream opens with the role, then the words, then the reason, then [DONE]", () => {
  const written = events({ ...body, stream: true });
  expect(written.map(({ kind }) => kind)).toEqual(["frame", "content", "content", "frame", "done"]);
  expect(written.every(({ text }) => text.startsWith("data: ") && text.endsWith("\n\n"))).toBe(
    true,
  );
  expect(written.at(-1)?.text).toBe("data: [DONE]\n\n");

  const read = chunks({ ...body, stream: true });
  expect(read.map(({ choices }) => choices[0].delta)).toEqual([
    { role: "assistant", content: "", refusal: null },
    { content: "Hello" },
    { content: " there" },
    {},
  ]);
  expect(read.map(({ choices }) => choices[0].finish_reason)).toEqual([null, null, null, "stop"]);
  expect(read[0]).toMatchObject({
    id: "chatcmpl-sim1",
    object: "chat.completion.chunk",
    system_fingerprint: "fp_simulator",
  });
  expect(read.some((chunk) => "usage" in chunk)).toBe(false);
});

test("requested usage comes last without choices and is null before; unrequested usage is absent", () => {
  const read = chunks({ ...body, stream: true, stream_options: { include_usage: true } });
  expect(read.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
  expect(read.at(-1)).toMatchObject({ choices: [], usage });
});

test("hidden usage appears nowhere", () => {
  expect(whole(body, { usageHidden: true })).not.toHaveProperty("usage");
  const request = { ...body, stream: true, stream_options: { include_usage: true } };
  expect(chunks(request, { usageHidden: true }).some((chunk) => "usage" in chunk)).toBe(false);
});

test("a whole answer has the whole tool call", () => {
  expect(whole(useTool)).toMatchObject({
    choices: [
      {
        message: {
          content: null,
          tool_calls: [
            {
              id: "call_sim1",
              type: "function",
              function: { name: "find", arguments: '{"query":"amber"}' },
            },
          ],
        },
        finish_reason: "tool_calls",
      },
    ],
  });
});

test("a streamed tool call starts with its name, then its arguments arrive in fragments", () => {
  const deltas = chunks({ ...useTool, stream: true }).map(({ choices }) => choices[0].delta);
  expect(deltas[0].tool_calls).toEqual([
    { index: 0, id: "call_sim1", type: "function", function: { name: "find", arguments: "" } },
  ]);
  const fragments = deltas.slice(1, -1).map(({ tool_calls }) => tool_calls[0].function.arguments);
  expect(fragments.length).toBeGreaterThan(1);
  expect(fragments.join("")).toBe('{"query":"amber"}');
});

test("every choice gets its own events", () => {
  const indices = chunks({ ...body, n: 2, stream: true }).map(({ choices }) => choices[0].index);
  expect(indices).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
});

test("parts of a message are read as text and images", () => {
  const content = [
    { type: "text", text: "what is" },
    { type: "image_url", image_url: { url: "data:," } },
    { type: "text", text: "this" },
  ];
  expect(readQuestion({ ...body, messages: [{ role: "user", content }] }).messages).toEqual([
    { role: "user", text: "what is this", images: 1 },
  ]);
});

test("max_completion_tokens wins over max_tokens", () => {
  expect(readQuestion({ ...body, max_tokens: 9, max_completion_tokens: 4 }).maxTokens).toBe(4);
  expect(readQuestion({ ...body, max_tokens: 9 }).maxTokens).toBe(9);
});

test.each([
  undefined,
  [],
  { messages: body.messages },
  { model: "small" },
  { ...body, messages: [] },
  { ...body, n: 0 },
])("the request %j is refused", (request) => {
  expect(() => readQuestion(request)).toThrow(InvalidRequestError);
});

test("failures have OpenAI's messages unless the script sets others", () => {
  expect(openAiWire.failure({ status: 401 }, "sim-secret-key")).toEqual({
    error: {
      message: expect.stringContaining("Incorrect API key provided: sim-******-key."),
      type: "invalid_request_error",
      param: null,
      code: "invalid_api_key",
    },
  });
  expect(
    openAiWire.failure(
      { status: 429, message: "No.", type: "insufficient_quota", code: "insufficient_quota" },
      "",
    ),
  ).toEqual({
    error: { message: "No.", type: "insufficient_quota", param: null, code: "insufficient_quota" },
  });
});
