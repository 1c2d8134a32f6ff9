import { expect, test } from "vitest";
import { collectUsualModels, findModelToAsk } from "./usual-models.ts";

const model = (name: string, input_price: number | null) => ({ name, input_price });

test("models with a known price are proposed under their undated names", () => {
  const models = [
    model("gpt-5", 1),
    model("gpt-5-2025-08-07", 1),
    model("claude-haiku-4-5-20251001", 1),
  ];
  expect([...collectUsualModels([...models, model("house-model", null)])]).toEqual(["gpt-5"]);
});

test("of names that no price book knows, a short list is proposed whole and a long one not at all", () => {
  const names = (count: number) =>
    Array.from({ length: count }, (_, index) => model(`m${index}`, null));
  expect(collectUsualModels(names(3)).size).toBe(3);
  expect(collectUsualModels(names(51)).size).toBe(0);
});

test("the cheapest model that answers questions is asked", () => {
  const usual = (name: string, price: number | null, is_usual = true) => ({
    ...model(name, price),
    is_usual,
  });
  expect(
    findModelToAsk([usual("big", 5), usual("small", 0.1), usual("text-embedding-3-small", 0.02)]),
  ).toBe("small");
  expect(findModelToAsk([usual("unknown", null, false)])).toBe("unknown");
  expect(findModelToAsk([usual("whisper-1", null)])).toBeUndefined();
});
