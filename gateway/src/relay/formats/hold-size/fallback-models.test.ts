import { expect, test } from "vitest";
import { parseFallbackModels } from "./fallback-models.ts";

const isServed = (model: string): boolean => ["a", "b", "c"].includes(model);
const read = (
  json: object,
  endpoint: Parameters<typeof parseFallbackModels>[1] = "chat_completions",
) => parseFallbackModels(json, endpoint, "a", isServed);

test("the alternatives of a request are read from both members, each once and without its model", () => {
  expect(read({ models: ["a", "b"], fallbacks: ["b", { model: "c" }] })).toEqual({
    names: ["b", "c"],
    members: ["models", "fallbacks"],
  });
  expect(read({ models: [] })).toEqual({ names: [], members: ["models"] });
  expect(read({ model: "a" })).toBeUndefined();
  expect(read({ models: null })).toBeUndefined();
});

test("endpoints whose clients send no alternatives leave the members alone", () => {
  expect(read({ models: ["unheard-of"] }, "embeddings")).toBeUndefined();
  expect(read({ models: ["unheard-of"] }, "gemini")).toBeUndefined();
});

test.each([
  [{ models: "b" }, /models must be a list of at most 5 names/],
  [{ models: [7] }, /models must be/],
  [{ models: [""] }, /models must be/],
  [{ models: ["a", "b", "c", "a", "b", "c"] }, /models must be/],
  [{ fallbacks: [{ model: "b", temperature: 1 }] }, /fallbacks must be/],
  [{ models: ["b", "unheard-of"] }, /The model unheard-of does not exist/],
])("%j is refused", (json, words) => {
  expect(() => read(json)).toThrow(words);
});
