import { expect, test } from "vitest";
import { embeddings } from "../shapes/plain-calls.ts";
import type { Call } from "../shapes/shape.ts";
import { embeddingsToGemini } from "./embeddings-to-gemini.ts";

const callOf = (more: object = {}): Call => {
  const json = { model: "m", input: "hi there", ...more };
  return { ...embeddings.read(json, false), shape: embeddings, headers: [], body: Buffer.from(JSON.stringify(json)) };
};
const answer = { embeddings: [{ values: [0.25, -0.5] }, { values: [1, 2] }] };

test("one text and many are asked for at once", () => {
  const asked = (text: string) => ({ content: { parts: [{ text }] } });
  expect(embeddingsToGemini.body({ input: "a" }, "m")).toEqual({ requests: [asked("a")] });
  expect(embeddingsToGemini.body({ input: ["a", "b"], dimensions: 8 }, "m")).toEqual({
    requests: ["a", "b"].map((text) => ({ ...asked(text), outputDimensionality: 8 })),
  });
});

test("the answer counts what is charged", () => {
  const call = callOf();
  const whole = (json: object) => embeddingsToGemini.answers(call).whole({ ...answer, ...json });
  const data = answer.embeddings.map(({ values }, index) => ({ object: "embedding", index, embedding: values }));
  const counted = (tokens: number) => ({ prompt_tokens: tokens, total_tokens: tokens });
  expect(whole({})).toEqual({ object: "list", data, model: "m", usage: counted(call.promptEstimate) });
  expect(whole({ usageMetadata: { promptTokenCount: 3 } })).toMatchObject({ usage: counted(3) });
});

test("libraries that ask for it get the numbers as bytes", () => {
  const { data } = embeddingsToGemini.answers(callOf({ encoding_format: "base64" })).whole(answer) as {
    data: { embedding: string }[];
  };
  const bytes = Buffer.from(data[0]?.embedding ?? "", "base64");
  expect([bytes.readFloatLE(0), bytes.readFloatLE(4), bytes.length]).toEqual([0.25, -0.5, 8]);
});

test.each([null, 7, "x", [], {}, [null], [[]], [{ values: "x" }]])("%j is translated without a fault", (odd) => {
  expect(embeddingsToGemini.body({ input: odd }, "m")).toMatchObject({ requests: expect.any(Array) });
  expect(embeddingsToGemini.answers(callOf()).whole({ embeddings: odd, usageMetadata: odd })).toBeTypeOf("object");
});
