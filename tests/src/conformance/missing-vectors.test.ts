// An answer with fewer vectors than inputs is none: nobody could tell which they belong to.

import { batchEmbedContents } from "@tollgate/gateway/relay/formats/gemini-embeddings.ts";
import { embeddings } from "@tollgate/gateway/relay/formats/openai-basic-formats.ts";
import { startAnswer } from "@tollgate/trust/usage/answered-call.ts";
import { expect, test } from "vitest";
import { parseCall, planOver } from "./in-process-relay.ts";

const inputs = (...input: unknown[]) => parseCall(embeddings, { model: "m", input });
const content = { parts: [{ text: "a" }] };
const openAi = (...vectors: number[][]) => ({
  data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
});
const gemini = (...vectors: number[][]) => ({
  embeddings: vectors.map((values) => ({ values })),
});

test.each([
  ["a text and a vector", inputs("a"), "embeddings", openAi([1]), true],
  ["two texts and two vectors", inputs("a", "b"), "embeddings", openAi([1], [2]), true],
  ["two texts and one vector", inputs("a", "b"), "embeddings", openAi([1]), false],
  ["two texts and an empty vector", inputs("a", "b"), "embeddings", openAi([1], []), false],
  ["three tokens of one text", inputs(1, 2, 3), "embeddings", openAi([1]), true],
  ["tokens of two texts", inputs([1], [2]), "embeddings", openAi([1]), false],
  ["a text and a picture", inputs("a", { image: "x" }), "embeddings", openAi([1]), true],
  ["two texts for Gemini", inputs("a", "b"), "gemini_embeddings", gemini([1]), false],
  ["two texts for Gemini, both", inputs("a", "b"), "gemini_embeddings", gemini([1], [2]), true],
  [
    "two requests of Gemini",
    parseCall(batchEmbedContents, { requests: [{ content }, { content }] }),
    "gemini_embeddings",
    gemini([1]),
    false,
  ],
] as const)("%s", async (_, call, speaks, reply, isAnswer) => {
  const answer = startAnswer(planOver(call, speaks), "application/json");
  await answer.send(JSON.stringify(reply));
  answer.end();
  expect((await answer.result())?.outcome === "success").toBe(isAnswer);
});
