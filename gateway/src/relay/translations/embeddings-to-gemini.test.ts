import { translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { expect, test } from "vitest";
import type { RelayCall } from "../formats/api-format.ts";
import { embeddings } from "../formats/openai-basic-formats.ts";
import { embeddingsToGemini } from "./embeddings-to-gemini.ts";

const callOf = (more: object = {}): RelayCall => {
  const json = { model: "m", input: "hi there", ...more };
  return {
    ...embeddings.parseRequest(json, false),
    client: embeddings,
    upstream: embeddings.upstream,
    headers: [],
    body: Buffer.from(JSON.stringify(json)),
  };
};
const answer = { embeddings: [{ values: [0.25, -0.5] }, { values: [1, 2] }] };

test("one text and many are sent in one request", () => {
  const asked = (text: string) => ({ content: { parts: [{ text }] } });
  expect(translatedBody(embeddingsToGemini, { input: "a" }, "m")).toEqual({
    requests: [asked("a")],
  });
  expect(translatedBody(embeddingsToGemini, { input: ["a", "b"], dimensions: 8 }, "m")).toEqual({
    requests: ["a", "b"].map((text) => ({ ...asked(text), outputDimensionality: 8 })),
  });
});

test("the reply reports the charged usage", () => {
  const call = callOf();
  const whole = (json: object) =>
    embeddingsToGemini.createReplyTranslator(call).translateReply({ ...answer, ...json });
  const data = answer.embeddings.map(({ values }, index) => ({
    object: "embedding",
    index,
    embedding: values,
  }));
  const counted = (tokens: number) => ({ prompt_tokens: tokens, total_tokens: tokens });
  expect(whole({})).toEqual({
    object: "list",
    data,
    model: "m",
    usage: counted(call.promptEstimate),
  });
  expect(whole({ usageMetadata: { promptTokenCount: 3 } })).toMatchObject({ usage: counted(3) });
});

test("clients that ask for it receive the numbers as bytes", () => {
  const { data } = embeddingsToGemini
    .createReplyTranslator(callOf({ encoding_format: "base64" }))
    .translateReply(answer) as {
    data: { embedding: string }[];
  };
  const bytes = Buffer.from(data[0]?.embedding ?? "", "base64");
  expect([bytes.readFloatLE(0), bytes.readFloatLE(4), bytes.length]).toEqual([0.25, -0.5, 8]);
});

test.each([null, 7, "x", [], {}, [null], [[]], [{ values: "x" }]])(
  "%j is translated without an error",
  (odd) => {
    expect(translatedBody(embeddingsToGemini, { input: odd }, "m")).toMatchObject({
      requests: expect.any(Array),
    });
    expect(
      embeddingsToGemini
        .createReplyTranslator(callOf())
        .translateReply({ embeddings: odd, usageMetadata: odd }),
    ).toBeTypeOf("object");
  },
);
