import { describe, expect, test } from "vitest";
import { noUsage, type Pricing } from "../../money/price.ts";
import {
  answerTokens,
  estimatedUsage,
  estimateOutputTokens,
  estimatePromptTokens,
  holdAmount,
} from "./token-estimate.ts";

describe("the estimate of a prompt", () => {
  const eight = "12345678";
  test.each<[string, Parameters<typeof estimatePromptTokens>, number]>([
    ["nothing at all", [[], undefined, false], 0],
    ["four tokens for each message", [[{}, {}], undefined, false], 8],
    ["a token for four bytes of text", [[{ content: eight }], undefined, false], 6],
    ["more of them where it is rough", [[{ content: eight }], undefined, true], Math.ceil(4 + 8 * 0.38)],
    ["bytes, not characters", [[{ content: "雪雪雪雪" }], undefined, false], 7],
    ["text however deep it lies", [[{ content: [{ type: "text", text: { a: [eight] } }] }], undefined, false], 4 + 3],
    ["text in a list", [[{ content: [eight, eight] }], undefined, false], 4 + 4],
    ["what is no text with nothing", [[{ content: [1, true, null, undefined] }], undefined, false], 4],
    ["an attachment with its price, however long", [[{ content: `data:${eight}` }], undefined, false], 1_204],
    ["a word about data as text", [[{ content: "big data: 12" }], undefined, false], 7],
    ["the calls of tools", [[{ tool_calls: [{ name: eight }] }], undefined, false], 6],
    ["the tools themselves", [[], [{ name: eight }], false], 2],
    ["a part of a token as one", [[{ content: "12345" }], undefined, false], 6],
  ])("counts %s", (_, asked, tokens) => {
    expect(estimatePromptTokens(...asked)).toBe(tokens);
  });
});

test.each([
  ["the caller's limit", 100, 8_000, 1, 100],
  ["the model's, where it is lower", 9_000, 8_000, 1, 8_000],
  ["the model's alone", undefined, 8_000, 1, 8_000],
  ["a limit of one token", 2, 1, 1, 1],
  ["the caller's alone", 100, 0, 1, 100],
  ["the usual length without any", undefined, 0, 1, 4_096],
  ["each of several answers", 100, 0, 3, 300],
])("the hold for the output is %s", (_, asked, model, answers, tokens) => {
  expect(answerTokens(asked, model, answers)).toBe(tokens);
});

describe("the hold", () => {
  /** One unit a token of a prompt, three a token of an answer, seven a second. */
  const pricing: Pricing = {
    rates: {
      input: 2_000_000n,
      cache_read: 0n,
      cache_write_5m: 0n,
      cache_write_1h: 0n,
      output: 6_000_000n,
      seconds: 14_000_000n,
    },
  };
  test("is the prompt with half as much again, what the operator adds without, and the whole answer", () => {
    expect(holdAmount(pricing, 3, 10, 20, 1_000_000)).toBe(5 + 10 + 60);
    expect(holdAmount(pricing, 100, 0, 0, 2_000_000)).toBe(300);
  });
  test("includes usage beside text", () => {
    expect(holdAmount(pricing, 2, 0, 1, 1_000_000, { seconds: 4 })).toBe(3 + 3 + 28);
  });
});

test("a reply without usage is charged by its bytes", () => {
  expect(estimatedUsage(7, "123456789")).toEqual({
    usage: { ...noUsage, input: 7, output: 3 },
    hiddenOutput: 0,
    isCorrected: false,
  });
});

test.each([
  ["an event is a token", 10, 40, 10],
  ["up to twelve bytes each", 10, 120, 10],
  ["whole phrases count by their bytes", 10, 121, 31],
  ["bytes without an event are none", 0, 500, 0],
  ["a single phrase counts too", 1, 13, 4],
])("visible output: %s", (_, events, bytes, tokens) => {
  expect(estimateOutputTokens(events, bytes)).toBe(tokens);
});
