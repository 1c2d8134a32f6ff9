import { expect, test } from "vitest";
import { noUsage } from "../../money/prices/price.ts";
import { sampleText } from "../counting/text-sample.ts";
import type { TokenCounting, TokenCountResult } from "../counting/token-counting.ts";
import type { RelayCall } from "../formats/api-format.ts";
import type { CallResult } from "./call-result.ts";
import { addCountedUsage, buildUncounted } from "./counted-usage.ts";

const body = Buffer.from("{}");
const call = { body } as RelayCall;
const form = { body, form: { fields: [] } } as unknown as RelayCall;
const answer = sampleText("what was delivered");
const counted: TokenCountResult = {
  encoding: "o200k_base",
  prompt: 70,
  output: 50,
  isSampled: false,
};

const uncounted = { sample: answer, opaqueTokens: 0, hasPrompt: true, completionMin: 0 };

const resultOf = (changes: Partial<CallResult> = {}): CallResult => ({
  outcome: "success",
  usage: { ...noUsage, input: 7, cache_read: 3, output: 5 },
  note: "",
  uncounted,
  firstContentAt: 1,
  upstreamCompletedAt: 2,
  ...changes,
});

/** The result as it is with what the tokenizer says, and what it was asked. */
async function after(result: CallResult, said: TokenCountResult | undefined, of = call) {
  const asked: unknown[][] = [];
  const counting: TokenCounting = {
    count: async (...question) => {
      asked.push(question);
      return said;
    },
    close: async () => undefined,
  };
  return { result: await addCountedUsage(result, of, "big", counting), asked };
}

test("what is left to count is kept with the delivered text, and with what is no text by its length", () => {
  const uncountedUsage = {
    usage: noUsage,
    marks: [],
    uncounted: { hasPrompt: true, completionMin: 3 },
  };
  const kept = { hasPrompt: true, completionMin: 3, sample: answer, opaqueTokens: 0 };
  expect(buildUncounted(uncountedUsage, () => answer)).toStrictEqual({ uncounted: kept });
  expect(buildUncounted(uncountedUsage, () => answer, 400)).toStrictEqual({
    uncounted: { ...kept, opaqueTokens: 100 },
  });
  const unread = (): never => {
    throw new Error("the text of a counted answer is not read");
  };
  expect(buildUncounted({ usage: noUsage, marks: [] }, unread)).toStrictEqual({});
});

test("a result with reported usage stays as it is, without counting", async () => {
  const result = resultOf();
  delete result.uncounted;
  const found = await after(result, counted);
  expect(found.result).toBe(result);
  expect(found.asked).toEqual([]);
});

test("an estimate is replaced by counted tokens of prompt and output, and the row names the tokenizer", async () => {
  const result = resultOf();
  const found = await after(result, counted);
  expect(found.asked).toEqual([["big", body, answer]]);
  expect(found.result).toEqual({
    ...result,
    usage: { ...noUsage, input: 70, cache_read: 3, output: 50 },
    note: "counted with o200k_base",
  });
});

test("an estimate that cannot be counted is kept", async () => {
  const result = resultOf();
  expect((await after(result, undefined)).result).toBe(result);
});

test.each<[string, Partial<TokenCountResult>, object, string]>([
  [
    "the answer alone",
    { prompt: undefined },
    { input: 7, output: 50 },
    "the answer counted with o200k_base",
  ],
  ["the prompt alone", { output: undefined }, { input: 70, output: 5 }, "counted with o200k_base"],
  [
    "a sample",
    { isSampled: true },
    { input: 70, output: 50 },
    "counted with o200k_base, by a sample",
  ],
])("counted tokens are charged: %s", async (_, said, usage, note) => {
  expect((await after(resultOf(), { ...counted, ...said })).result).toMatchObject({ usage, note });
});

test("an existing note stays in front", async () => {
  expect((await after(resultOf({ note: "usage estimated" }), counted)).result.note).toBe(
    "usage estimated; counted with o200k_base",
  );
});

test("a reply of a single byte is counted", async () => {
  expect(
    (await after(resultOf({ uncounted: { ...uncounted, sample: sampleText("x") } }), counted))
      .result.usage.output,
  ).toBe(50);
});

test.each([
  ["is never less than the provider's own last count", { completionMin: 90 }, 90],
  ["has what is no text besides", { opaqueTokens: 7 }, 57],
])("counted output %s", async (_, changes, output) => {
  const { result } = await after(resultOf({ uncounted: { ...uncounted, ...changes } }), counted);
  expect(result.usage.output).toBe(output);
});

test("the prompt that a provider counted stays", async () => {
  const { result, asked } = await after(
    resultOf({ uncounted: { ...uncounted, hasPrompt: false } }),
    {
      ...counted,
      prompt: undefined,
    },
  );
  expect(asked).toEqual([["big", undefined, answer]]);
  expect(result.usage.input).toBe(7);
});

test("no output is counted where nothing was delivered", async () => {
  const { result } = await after(
    resultOf({ uncounted: { ...uncounted, sample: sampleText("") } }),
    counted,
  );
  expect(result.usage).toMatchObject({ input: 70, output: 5 });
});

test.each<[string, CallResult, RelayCall]>([
  ["a form has no prompt that could be counted", resultOf(), form],
  [
    "a call that is not charged for its prompt is not counted either",
    resultOf({ usage: noUsage }),
    call,
  ],
])("%s", async (_, result, of) => {
  expect((await after(result, undefined, of)).asked).toEqual([["big", undefined, answer]]);
});

test("a prompt of one token is counted", async () => {
  expect((await after(resultOf({ usage: { ...noUsage, input: 1 } }), counted)).asked).toEqual([
    ["big", body, answer],
  ]);
});
