import { describe, expect, test } from "vitest";
import { sampleText } from "./text-sample.ts";
import { buildEncoding, countTokens } from "./tokenizer.ts";

describe("the encoding of a model", () => {
  test.each([
    ["gpt-4o-mini", "o200k_base"],
    ["gpt-4.1", "o200k_base"],
    ["gpt-5-nano-2025-08-07", "o200k_base"],
    ["o3", "o200k_base"],
    ["chatgpt-4o-latest", "o200k_base"],
    ["claude-sonnet-4-5", "o200k_base"],
    ["deepseek-chat", "o200k_base"],
    ["whatever", "o200k_base"],
    ["gpt-4", "cl100k_base"],
    ["gpt-4-turbo", "cl100k_base"],
    ["openai/gpt-4-0613", "cl100k_base"],
    ["gpt-3.5-turbo", "cl100k_base"],
    ["gpt-35-turbo", "cl100k_base"],
    ["text-embedding-3-small", "cl100k_base"],
  ])("%s is %s", (model, encoding) => expect(buildEncoding(model)).toBe(encoding));
});

describe("tokens", () => {
  test.each([
    // The counts of OpenAI's cookbook.
    ["tiktoken is great!", "cl100k_base", 6],
    ["antidisestablishmentarianism", "cl100k_base", 6],
    ["antidisestablishmentarianism", "o200k_base", 6],
    ["2 + 2 = 4", "o200k_base", 7],
    ["お誕生日おめでとう", "cl100k_base", 9],
    ["お誕生日おめでとう", "o200k_base", 8],
    ["", "o200k_base", 0],
  ] as const)("of %j in %s are %i", async (text, encoding, tokens) => {
    expect(await countTokens(sampleText(text), encoding)).toBe(tokens);
  });

  test("of text that looks like a special token are those of its characters", async () => {
    expect(await countTokens(sampleText("<|endoftext|>"), "o200k_base")).toBeGreaterThan(3);
  });

  test("of a text that is cut for counting equal those of the whole", async () => {
    const sentence = "Tokens begin with the space in front of a word, 12 of 13 times.";
    const once = await countTokens(sampleText(sentence), "o200k_base");
    const next = await countTokens(sampleText(` ${sentence}`), "o200k_base");
    const text = [sentence, ...Array.from({ length: 99 }, () => ` ${sentence}`)].join("");
    expect(await countTokens(sampleText(text), "o200k_base")).toBe(once + 99 * next);
  });

  test("of a long text come from a sample, and are near", async () => {
    const words = Array.from({ length: 60_000 }, (_, place) => `word${place % 977}`);
    const all = await countTokens(
      { parts: [words.join(" ")], length: words.join(" ").length },
      "o200k_base",
    );
    const sampled = await countTokens(sampleText(words.join(" ")), "o200k_base");
    expect(Math.abs(sampled - all) / all).toBeLessThan(0.03);
  });
});

test("hostile text of any length is counted within the time of a test", {
  tags: ["F-118"],
  timeout: 60_000,
}, async () => {
  const unlike = Array.from({ length: 100_000 }, (_, place) =>
    String.fromCharCode(0x4e00 + ((place * 7_919) % 20_000)),
  );
  const hostile = [
    "a".repeat(10_000_000),
    "\ud800".repeat(10_000_000),
    "👩‍👩‍👧‍👦".repeat(500_000),
    "\0".repeat(1_000_000),
  ];
  for (const text of [...hostile, unlike.join("")]) {
    expect(await countTokens(sampleText(text), "o200k_base")).toBeGreaterThan(text.length / 200);
  }
});
