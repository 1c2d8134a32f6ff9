import { expect, test } from "vitest";
import { generateAnswer, type SimulatedRequest, wholeText } from "./simulated-answer.ts";

const question = (changes: Partial<SimulatedRequest> = {}): SimulatedRequest => ({
  model: "small",
  messages: [{ role: "user", text: "say something nice", images: 0 }],
  tools: [],
  choices: 1,
  maxTokens: undefined,
  stream: false,
  wantsUsage: false,
  ...changes,
});

const textOf = (request: SimulatedRequest, behaviour = {}) =>
  wholeText(generateAnswer(request, behaviour).tokens);

test("the same question gets the same words, another question others", () => {
  expect(textOf(question())).toBe(textOf(question({ model: "large" })));
  expect(textOf(question())).not.toBe(
    textOf(question({ messages: [{ role: "user", text: "other", images: 0 }] })),
  );
});

test("twelve tokens are twelve words", () => {
  const { tokens, usage, finish } = generateAnswer(question(), {});
  expect(wholeText(tokens).split(" ")).toHaveLength(12);
  expect(usage.completion).toBe(12);
  expect(finish).toBe("stop");
});

test("the prompt costs 3 per message, 1 per word and 85 per image", () => {
  const messages = [
    { role: "system", text: "be  brief\n", images: 0 },
    { role: "user", text: "what is this", images: 2 },
  ];
  expect(generateAnswer(question({ messages }), {}).usage.prompt).toBe(3 + 2 + 3 + 3 + 2 * 85);
});

test("the requested limit truncates the answer, and the finish reason reports it", () => {
  const { tokens, usage, finish } = generateAnswer(question({ maxTokens: 5 }), {});
  expect([tokens.length, usage.completion, finish]).toEqual([5, 5, "length"]);
});

test("a script may ignore the requested limit", () => {
  expect(generateAnswer(question({ maxTokens: 5 }), { noLimit: true }).tokens.length).toBe(12);
});

test("reasoning counts as completion and towards the limit", () => {
  expect(generateAnswer(question(), { reasoningTokens: 30 }).usage).toMatchObject({
    completion: 42,
    reasoning: 30,
  });
  const short = generateAnswer(question({ maxTokens: 32 }), { reasoningTokens: 30 });
  expect([short.tokens.length, short.usage.completion, short.finish]).toEqual([2, 32, "length"]);
});

test("cached tokens never exceed the prompt", () => {
  expect(generateAnswer(question(), { cachedTokens: 4 }).usage.cached).toBe(4);
  expect(generateAnswer(question(), { cachedTokens: 400 }).usage.cached).toBe(6);
});

test("every choice is counted", () => {
  expect(generateAnswer(question({ choices: 3 }), {}).usage.completion).toBe(36);
});

test("a scripted text is sent word by word and unchanged", () => {
  const text = "  Hello,\nwörld \u{1F30A}  ";
  const { tokens } = generateAnswer(question(), { text });
  expect(wholeText(tokens)).toBe(text);
  expect(tokens.length).toBe(4);
});

test("a tool is called only when the last message is the user's and contains `use tool`", () => {
  const tools = [
    {
      name: "weather",
      parameters: { properties: { city: { type: "string" }, days: { type: "integer" }, raw: {} } },
    },
  ];
  const messages = [{ role: "user", text: "please use tool", images: 0 }];
  const request = generateAnswer(question({ tools, messages }), {});
  expect(request.finish).toBe("tool_calls");
  expect(request.usage.completion).toBe(10);
  expect(JSON.parse(request.toolCall?.fragments.join("") ?? "")).toEqual({
    city: "amber",
    days: 7,
    raw: null,
  });

  const reply = [...messages, { role: "tool", text: "sunny, use tool again", images: 0 }];
  expect(generateAnswer(question({ tools, messages: reply }), {}).toolCall).toBeUndefined();
  expect(generateAnswer(question({ messages }), {}).toolCall).toBeUndefined();
});
