import { expect, test } from "vitest";
import { openAiResponsesWire } from "./openai-responses-wire.ts";
import { generateAnswer } from "./simulated-answer.ts";
import { InvalidRequestError } from "./wire-format.ts";

const envelope = { id: "sim1", model: "small", createdSeconds: 1_700_000_000, usageHidden: false };
const tools = [
  { type: "function", name: "find", parameters: { properties: { query: { type: "string" } } } },
];

const asked = (request: object) => {
  const question = openAiResponsesWire.readRequest({ model: "small", ...request }, "/v1/responses");
  return { question, answer: generateAnswer(question, { text: "Hello there" }) };
};

// biome-ignore lint/suspicious/noExplicitAny: events of every structure are read
type ResponseEvent = any;
function eventsOf(request: object): ResponseEvent[] {
  const { question, answer } = asked(request);
  return [...openAiResponsesWire.events(answer, envelope, question)].map(({ text }) =>
    JSON.parse(text.slice(text.indexOf("data: ") + 6)),
  );
}

test("a whole answer has the fields of a response", () => {
  const { answer } = asked({ instructions: "be brief", input: "one two three" });
  expect(openAiResponsesWire.responseBody(answer, envelope)).toMatchObject({
    id: "resp_sim1",
    object: "response",
    created_at: 1_700_000_000,
    status: "completed",
    output: [
      {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "Hello there" }],
      },
    ],
    usage: { input_tokens: 11, output_tokens: 2, total_tokens: 13 },
  });
});

test.each([
  ["words", { input: "hi" }, "Hello there"],
  [
    "a call",
    { input: [{ role: "user", content: [{ type: "input_text", text: "use tool" }] }], tools },
    '{"query":"amber"}',
  ],
])(
  "a stream of %s is numbered, and its pieces are what its last event repeats",
  (_, request, whole) => {
    const events = eventsOf(request);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(
      events.map((_, index) => index),
    );
    expect(events.map(({ delta = "" }) => delta).join("")).toBe(whole);
    const { type, response } = events.at(-1);
    expect(type).toBe("response.completed");
    expect(response.output).toEqual([events.at(-2).item]);
    expect(JSON.stringify(response.output)).toContain(JSON.stringify(whole));
  },
);

test("an answer that reaches its limit is incomplete", () => {
  const events = eventsOf({ input: "hi", max_output_tokens: 1 });
  expect(events.at(-1)).toMatchObject({
    type: "response.incomplete",
    response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
  });
});

test("a request without an input is refused", () => {
  expect(() => asked({})).toThrow(InvalidRequestError);
});
