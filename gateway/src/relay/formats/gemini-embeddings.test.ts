import { expect, test } from "vitest";
import type { ClientFormat, RelayCall } from "./api-format.ts";
import { batchEmbedContents, embedContent } from "./gemini-embeddings.ts";

const content = { parts: [{ text: "Hello there" }] };
const callOf = (format: ClientFormat, json: object): RelayCall => ({
  ...format.parseRequest(json, false),
  client: format,
  upstream: format.upstream,
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
] as const)(
  "whatever model the texts name, the one that is paid for is asked",
  (shape, json, sent) => {
    expect(
      JSON.parse(String(shape.upstream.writeBody(callOf(shape, json), "m", "no prompt"))),
    ).toEqual(sent);
  },
);

test("one and many have their own addresses and replies", () => {
  const call = callOf(embedContent, { content });
  expect(call).toMatchObject({ isStream: false, maxOutputTokens: 0 });
  expect(embedContent.upstream.urlFor?.(models, call, "m").href).toMatch(/\/m:embedContent$/);
  expect(batchEmbedContents.upstream.urlFor?.(models, call, "m").href).toMatch(
    /\/m:batchEmbedContents$/,
  );
  const usageMetadata = { promptTokenCount: 7 };
  expect(
    embedContent.upstream.readReply({ embedding: { values: [1] }, usageMetadata })?.usage?.usage
      .input,
  ).toBe(7);
  expect(embedContent.upstream.readReply({ embeddings: [{ values: [1] }] })).toBeUndefined();
  expect(batchEmbedContents.upstream.readReply({ embeddings: [] })).toBeUndefined();
  expect(batchEmbedContents.upstream.readReply({ embeddings: [{ values: [1] }] })).toEqual({
    usage: undefined,
    text: "",
    vectorCount: 1,
  });
});

test.each([{}, { content: "hi" }, { requests: [] }, { requests: [{}] }, null])(
  "%j is refused with a message",
  (json) => {
    expect(() => embedContent.parseRequest(json, false)).toThrow(/content|body/);
    expect(() => batchEmbedContents.parseRequest(json, false)).toThrow(/requests|body/);
  },
);
