// Replies without a result are no answers: another channel may give one.
import { expect, test } from "vitest";
import { completions, embeddings, rerank } from "./openai-basic-formats.ts";

test.each([
  ["no vector", embeddings, { data: [] }, false],
  ["a vector", embeddings, { data: [{ embedding: [1] }] }, true],
  ["no choice", completions, { choices: [] }, false],
  ["a choice", completions, { choices: [{ text: "Hm." }] }, true],
  // A client may ask for none.
  ["no document", rerank, { results: [] }, true],
])("%s", (_, { upstream }, reply, isAnswer) =>
  expect(upstream.readReply(reply) !== undefined).toBe(isAnswer),
);
