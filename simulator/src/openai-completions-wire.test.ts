import { expect, test } from "vitest";
import { openAiCompletionsWire } from "./openai-completions-wire.ts";
import { generateAnswer } from "./simulated-answer.ts";
import { InvalidRequestError } from "./wire-format.ts";

const envelope = { id: "sim1", model: "small", createdSeconds: 1_700_000_000, usageHidden: false };
const asked = (request: object) => {
  const question = openAiCompletionsWire.readRequest(
    { model: "small", ...request },
    "/v1/completions",
  );
  return { question, answer: generateAnswer(question, { text: "Hello there" }) };
};

test("a whole answer has a text for each prompt and choice, and its usage", () => {
  const { answer } = asked({ prompt: ["one two", "three"], n: 2 });
  expect(openAiCompletionsWire.responseBody(answer, envelope)).toMatchObject({
    id: "cmpl-sim1",
    object: "text_completion",
    choices: [0, 1, 2, 3].map((index) => ({
      index,
      text: "Hello there",
      logprobs: null,
      finish_reason: "stop",
    })),
    usage: { prompt_tokens: 9, completion_tokens: 8, total_tokens: 17 },
  });
});

test.each([true, false])(
  "a stream's pieces are the answer, and its usage comes last where it is wanted: %s",
  (wanted) => {
    const { question, answer } = asked({
      prompt: "hi",
      max_tokens: 1,
      stream_options: { include_usage: wanted },
    });
    const events = [...openAiCompletionsWire.events(answer, envelope, question)].map(
      ({ text }) => text,
    );
    expect(events.pop()).toBe("data: [DONE]\n\n");
    const pieces = events.map((text) => JSON.parse(text.slice("data: ".length)));
    const last = wanted ? pieces.pop() : undefined;
    expect(last?.usage.completion_tokens).toBe(wanted ? 1 : undefined);
    expect(pieces.map(({ choices }) => choices[0].text).join("")).toBe("Hello");
    expect(pieces.map(({ choices }) => choices[0].finish_reason)).toEqual([null, "length"]);
    expect(pieces.every((piece) => "usage" in piece === wanted && !piece.usage)).toBe(true);
  },
);

test.each([undefined, 7, [], ["a", 1]])("the prompt %j is refused", (prompt) => {
  expect(() => asked({ prompt })).toThrow(InvalidRequestError);
});
