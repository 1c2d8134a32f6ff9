// Text recognition: documents reach the providers that read them, and cost their pages.
import { afterAll, beforeAll, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { type CannedProvider, startCannedProvider, whole } from "./canned-provider.ts";

const model = "mistral-ocr-4-1";
const document = { type: "document_url", document_url: "https://example.com/a.pdf" };
let gateway: TestGateway;
let upstream: CannedProvider;
let key: string;
beforeAll(async () => {
  upstream = await startCannedProvider();
  gateway = await startTestGateway({ upstreams: [upstream.url] });
  await gateway.given.channel({
    type: 28,
    key: "upstream-key",
    base_url: upstream.url,
    models: `${model},mistral-small-latest`,
  });
  await gateway.given.channel({
    type: 14,
    key: "upstream-key",
    base_url: upstream.url,
    models: "claude-haiku-4-5",
  });
  key = (await gateway.given.token()).key;
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
  await upstream.close();
});

const recognize = async (body: object) =>
  readReply(
    await fetch(`${gateway.url}/v1/ocr`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
const reply = {
  pages: [
    {
      index: 0,
      markdown: "# Toll",
      images: [],
      dimensions: { dpi: 200, height: 2200, width: 1700 },
    },
  ],
  model,
  usage_info: { pages_processed: 3, doc_size_bytes: 3_002_783 },
};

test("the answer comes as the provider gives it, and costs its pages", async () => {
  upstream.answer = whole(reply);
  const asked = { model, document, pages: [0, 1, 2], include_image_base64: false };
  expect(await recognize(asked)).toMatchObject({ status: 200, body: reply });
  expect(upstream.bodies.at(-1)).toEqual(asked);
  // 3 pages at $4 for a thousand.
  expect(await gateway.lastLog()).toMatchObject({
    quota: 6_000,
    prompt_tokens: 0,
    completion_tokens: 0,
    outcome: "success",
  });
});

test("pages with annotations cost more", async () => {
  upstream.answer = whole(reply);
  await recognize({
    model,
    document,
    document_annotation_format: { type: "json_schema", json_schema: {} },
  });
  expect(await gateway.lastLog()).toMatchObject({ quota: 7_500 });
});

test("a request without a document is refused, and no provider is asked", async () => {
  const calls = upstream.bodies.length;
  expect(await recognize({ model })).toMatchObject({
    status: 400,
    body: { error: { param: "document" } },
  });
  expect(upstream.bodies).toHaveLength(calls);
});

test("a model whose channels read no documents is not available for it", async () => {
  const refused = await recognize({ model: "claude-haiku-4-5", document });
  expect(refused.status).toBe(400);
  expect(refused.body.error.message).toContain("is not served by this endpoint");
});
