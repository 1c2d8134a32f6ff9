import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createLimitWriter,
  limitMembers,
  nestedMembers,
  parseAnswers,
  parseOutputLimit,
  writeChatLimit,
  writeGeminiLimit,
} from "./output-limit.ts";

const tags = ["S2-04"];

test.each<[string, unknown, number | undefined]>([
  ["no member", {}, undefined],
  ["no object", [5], undefined],
  ["0, which is no limit for some providers", { max_tokens: 0 }, undefined],
  ["a negative number, which means as much as needed", { thinkingBudget: -1 }, undefined],
  ["null", { max_tokens: null }, undefined],
  ["one of chat", { max_tokens: 7 }, 7],
  ["the larger of two", { max_tokens: 20_000, max_completion_tokens: 1 }, 20_000],
  ["the larger of two, turned round", { max_tokens: 1, max_completion_tokens: 20_000 }, 20_000],
  ["one of another API", { max_tokens: 1, max_output_tokens: 9 }, 9],
  ["a number as text", { max_tokens: 1, max_new_tokens: "900" }, 900],
  ["text that is no number", { max_tokens: 1, max_new_tokens: "many" }, 1],
  ["a part of a token as one", { max_tokens: 1.2 }, 2],
  ["a switch, which is no number", { max_tokens: true }, undefined],
  ["a list, which is no number", { max_tokens: [7] }, undefined],
  ["Gemini's", { generationConfig: { maxOutputTokens: 8 } }, 8],
  ["Gemini's in its other spelling", { generation_config: { max_output_tokens: 8 } }, 8],
  [
    "Gemini's budget of thinking",
    { generationConfig: { maxOutputTokens: 8, thinkingConfig: { thinkingBudget: 9 } } },
    9,
  ],
  [
    "a budget of thinking in Messages",
    { max_tokens: 5, thinking: { type: "enabled", budget_tokens: 6 } },
    6,
  ],
  ["a budget of reasoning of routers", { max_tokens: 5, reasoning: { max_tokens: 6 } }, 6],
  ["a number that no model reaches", { max_tokens: 1e300 }, 10_000_000],
])("the limit of an answer is the largest in the body: %s", { tags }, (_, json, limit) => {
  expect(parseOutputLimit(json)).toBe(limit);
});

test("every member that limits an answer counts, at the top and in every configuration", {
  tags,
}, () => {
  for (const member of limitMembers) {
    expect(parseOutputLimit({ max_tokens: 1, [member]: 7 }), member).toBe(7);
    for (const nested of nestedMembers)
      expect(
        parseOutputLimit({ max_tokens: 1, [nested]: { [member]: 7 } }),
        `${nested}.${member}`,
      ).toBe(7);
  }
});

test.each<[string, unknown, number]>([
  ["one without a member", {}, 1],
  ["as many as asked", { n: 3 }, 3],
  ["the larger of two members", { n: 2, best_of: 20 }, 20],
  ["Gemini's", { generationConfig: { candidateCount: 4 } }, 4],
  ["no more than the arithmetic bears", { best_of: 1e12 }, 10_000],
])("answers of a request: %s", { tags }, (_, json, answers) => {
  expect(parseAnswers(json)).toBe(answers);
});

test("several prompts are answered as often each", { tags }, () => {
  expect([parseAnswers({ n: 3 }, 50), parseAnswers({}, 7), parseAnswers({ n: 9_999 }, 2)]).toEqual([
    150, 7, 10_000,
  ]);
});

describe("a limit of the gateway", () => {
  const written = (writer: typeof writeChatLimit, json: Record<string, unknown>, model = "m") =>
    JSON.parse(writer(Buffer.from(JSON.stringify(json)), json, model, 50).toString("utf8"));
  test("stands in the member that the model takes", () => {
    expect(written(writeChatLimit, { model: "m" })).toEqual({ model: "m", max_tokens: 50 });
    expect(written(writeChatLimit, {}, "o3")).toEqual({ max_completion_tokens: 50 });
    expect(written(createLimitWriter("max_output_tokens"), {})).toEqual({ max_output_tokens: 50 });
  });
  test("replaces the one limit of 0 that the client gave, whatever the model takes", () => {
    expect(written(writeChatLimit, { max_completion_tokens: 0 })).toEqual({
      max_completion_tokens: 50,
    });
  });
  test("replaces every limit of 0 of the client", () => {
    expect(written(writeChatLimit, { max_tokens: 0, max_completion_tokens: 0 })).toEqual({
      max_tokens: 50,
      max_completion_tokens: 50,
    });
  });
  test("keeps the rest of Gemini's configuration, in its spelling", () => {
    expect(written(writeGeminiLimit, { generationConfig: { temperature: 1 } })).toEqual({
      generationConfig: { temperature: 1, maxOutputTokens: 50 },
    });
    expect(written(writeGeminiLimit, { generation_config: { max_output_tokens: 0 } })).toEqual({
      generation_config: { maxOutputTokens: 50 },
    });
    expect(written(writeGeminiLimit, {})).toEqual({ generationConfig: { maxOutputTokens: 50 } });
  });
  test("is the limit of the body that it is written into", { tags }, () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e7 }),
        fc.constantFrom("gpt-5", "m"),
        (tokens, model) => {
          const body = writeChatLimit(Buffer.from("{}"), {}, model, tokens);
          expect(parseOutputLimit(JSON.parse(body.toString("utf8")))).toBe(tokens);
        },
      ),
    );
  });
});
