import { describe, expect, test } from "vitest";
import { noUsage } from "../../money/price.ts";
import { parseOpenAiUsage } from "./openai-usage.ts";
import { chargedUsage, tokenCount } from "./reported-usage.ts";

test.each([
  [0, 0],
  [7, 7],
  [100_000_000, 100_000_000],
  [100_000_001, undefined],
  [-1, undefined],
  [1.5, undefined],
  [Number.NaN, undefined],
  ["7", undefined],
  [[7], undefined],
  [null, undefined],
  [undefined, undefined],
])("%j is a token count of %j", (value, tokens) => {
  expect(tokenCount(value)).toBe(tokens);
});

describe("the charged usage", () => {
  const estimate = { ...noUsage, input: 100, output: 50 };
  test("is the reported usage while it is plausible", () => {
    const { usage, note } = chargedUsage(
      parseOpenAiUsage({ prompt_tokens: 1_400, completion_tokens: 1_200 }),
      estimate,
    );
    expect([usage.input, usage.output, note]).toEqual([1_400, 1_200, ""]);
  });
  test.each([
    { prompt_tokens: 1_401, completion_tokens: 1 },
    { prompt_tokens: 1, completion_tokens: 1_201 },
  ])("is the estimate when the upstream reports %j", (wire) => {
    expect(chargedUsage(parseOpenAiUsage(wire), estimate)).toMatchObject({
      usage: estimate,
      note: expect.stringContaining("claimed"),
      isEstimate: true,
    });
  });
  test("does not check tokens that are declared as hidden or unseen, but checks all others", () => {
    const usage = { ...noUsage, input: 1_400 + 7, output: 1_200 + 9 };
    const isBelieved = (hiddenOutput: number, hiddenPrompt: number) =>
      chargedUsage({ usage, hiddenOutput, hiddenPrompt, isCorrected: false }, estimate).usage === usage;
    expect([isBelieved(9, 7), isBelieved(8, 7), isBelieved(9, 6)]).toEqual([true, false, false]);
  });
  test("notes when reported counts had to be corrected", () => {
    const usage = { ...noUsage, input: 1 };
    const note = "usage corrected: the upstream counted more cached than prompt tokens";
    expect(chargedUsage({ usage, hiddenOutput: 0, isCorrected: true }, estimate)).toEqual({ usage, note });
    expect(chargedUsage({ usage, hiddenOutput: 0, isCorrected: false }, estimate)).toEqual({ usage, note: "" });
  });
  test("may contain any amount of declared reasoning", () => {
    const wire = {
      prompt_tokens: 10,
      completion_tokens: 9_000,
      completion_tokens_details: { reasoning_tokens: 8_900 },
    };
    expect(chargedUsage(parseOpenAiUsage(wire), estimate)).toMatchObject({ usage: { output: 9_000 }, note: "" });
  });
  test("is the estimate when there is no usage, and notes it", () => {
    expect(chargedUsage(undefined, estimate)).toMatchObject({
      ...{ usage: estimate, note: expect.stringContaining("none"), isEstimate: true },
    });
  });
});
