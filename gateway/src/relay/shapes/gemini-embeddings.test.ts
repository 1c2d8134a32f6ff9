import { expect, test } from "vitest";
import { batchEmbedContents, embedContent } from "./gemini-embeddings.ts";
import type { Call, Shape } from "./shape.ts";

const content = { parts: [{ text: "Hello there" }] };
const callOf = (shape: Shape, json: object): Call => ({
  ...shape.read(json, false),
  shape,
  headers: [],
  body: Buffer.from(JSON.stringify(json)),
});
const models = new URL("https://google.example/v1beta/models");

test.each([
  [embedContent, { model: "models/dearer", content }, { model: "models/m", content }],
  [
    batchEmbedContents,
    { requests: [{ model: "models/dearer", content }, { content }] },
    {
      requests: [
        { model: "models/m", content },
        { model: "models/m", content },
      ],
    },
  ],
] as const)("whatever model the texts name, the one that is paid for is asked", (shape, json, sent) => {
  expect(JSON.parse(String(shape.bodyFor(callOf(shape, json), "m", "no prompt")))).toEqual(sent);
});

test("one and many have addresses and answers of their own", () => {
  const call = callOf(embedContent, { content });
  expect(call).toMatchObject({ isStream: false, maxTokens: 0 });
  expect(embedContent.address?.(models, call, "m").href).toMatch(/\/m:embedContent$/);
  expect(batchEmbedContents.address?.(models, call, "m").href).toMatch(/\/m:batchEmbedContents$/);
  const usageMetadata = { promptTokenCount: 7 };
  expect(embedContent.answer({ embedding: { values: [1] }, usageMetadata })?.usage?.usage.input).toBe(7);
  expect(embedContent.answer({ embeddings: [] })).toBeUndefined();
  expect(batchEmbedContents.answer({ embeddings: [] })).toEqual({ usage: undefined, text: "" });
});

test.each([{}, { content: "hi" }, { requests: [] }, { requests: [{}] }, null])("%j is refused in words", (json) => {
  expect(() => embedContent.read(json, false)).toThrow(/content|body/);
  expect(() => batchEmbedContents.read(json, false)).toThrow(/requests|body/);
});
