// Bodies and answers follow Google's API reference (ai.google.dev: image generation, Imagen,
// models.predict); modelled, not captured.
import { describe, expect, test } from "vitest";
import { defaultPrice } from "../../money/prices/price-book.ts";
import type { RelayCall } from "../formats/api-format.ts";
import { imageGenerations } from "../formats/images.ts";
import { unlimited } from "../formats/usage/reported-usage.ts";
import { planUpstreamCall } from "../routing/translation-registry.ts";
import { type JsonRecord, parseObject, record, records } from "../wire/json-parts.ts";

const models = new URL("https://generativelanguage.googleapis.com/v1beta/models");
const prompt = "a red fox";

function wayFor(json: JsonRecord, model: string) {
  const call: RelayCall = {
    ...imageGenerations.parseRequest({ model, ...json }, false),
    client: imageGenerations,
    upstream: imageGenerations.upstream,
    headers: [],
    body: Buffer.from(JSON.stringify({ model, ...json })),
  };
  const way = planUpstreamCall(call, { gemini: models }, model);
  const { upstream } = way.call;
  const body = parseObject(
    upstream.writeBody(way.call, model, "a prompt of the channel").toString("utf8"),
  );
  return { ...way, upstream, body, url: upstream.urlFor?.(models, way.call, model).href };
}

const usageMetadata = {
  promptTokenCount: 4,
  candidatesTokenCount: 1_290,
  totalTokenCount: 1_294,
  promptTokensDetails: [{ modality: "TEXT", tokenCount: 4 }],
  candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_290 }],
};
const drawn = {
  candidates: [
    {
      content: {
        role: "model",
        parts: [{ text: "Here it is." }, { inlineData: { mimeType: "image/png", data: "iVBO" } }],
      },
      finishReason: "STOP",
    },
  ],
  usageMetadata,
  modelVersion: "gemini-2.5-flash-image",
};
const predicted = {
  predictions: [{ mimeType: "image/png", bytesBase64Encoded: "iVBO" }, { raiFilteredReason: "no" }],
};

describe("a request for images", () => {
  test("is written for models that generate images in generateContent", () => {
    const { body, url, dropped } = wayFor(
      { prompt, size: "1536x1024", quality: "high" },
      "gemini-2.5-flash-image",
    );
    expect(url).toBe(`${models.href}/gemini-2.5-flash-image:generateContent`);
    expect(body).toEqual({
      contents: [{ role: "user", parts: [{ text: prompt }] }],
      generationConfig: { responseModalities: ["IMAGE"], imageConfig: { aspectRatio: "3:2" } },
    });
    expect(dropped).toEqual(["quality"]);
  });

  test("is written for models that use predict", () => {
    const { body, url, dropped } = wayFor(
      { prompt, n: 2, size: "1024x1024" },
      "imagen-4.0-generate-001",
    );
    expect(url).toBe(`${models.href}/imagen-4.0-generate-001:predict`);
    expect(body).toEqual({
      instances: [{ prompt }],
      parameters: { sampleCount: 2, aspectRatio: "1:1" },
    });
    expect(dropped).toEqual([]);
  });

  test.each([
    [{ n: 2 }, ["n"]],
    [{ n: 1, response_format: "b64_json", stream: true }, []],
    [{ response_format: "url", style: "vivid", user: "u" }, ["response_format", "style", "user"]],
  ])("drops of %j the fields %j with Gemini models", (more, lost) => {
    expect(wayFor({ prompt, ...more }, "gemini-2.5-flash-image").dropped).toEqual(lost);
  });

  test.each([
    ["1024x1536", "2:3"],
    ["1792x1024", "16:9"],
    ["auto", undefined],
    ["0x0", undefined],
  ])("of the size %s has the aspect ratio %s", (size, ratio) => {
    const { body } = wayFor({ prompt, size }, "gemini-2.5-flash-image");
    expect(record(record(body.generationConfig).imageConfig).aspectRatio).toBe(ratio);
  });
});

describe("a reply", () => {
  test("has the bytes of the images, and their tokens", () => {
    const { translator } = wayFor({ prompt }, "gemini-2.5-flash-image");
    expect(translator?.translateReply(drawn)).toEqual({
      created: expect.any(Number),
      data: [{ b64_json: "iVBO" }],
      usage: {
        input_tokens: 4,
        input_tokens_details: { text_tokens: 4, image_tokens: 0 },
        output_tokens: 1_290,
        total_tokens: 1_294,
      },
    });
    expect(translator?.translateReply(predicted)).toEqual({
      created: expect.any(Number),
      data: [{ b64_json: "iVBO" }],
    });
  });

  test("is charged by its tokens, or per image where none are reported or the price is per image", () => {
    const { call, upstream } = wayFor({ prompt }, "gemini-2.5-flash-image");
    const usedBy = (json: JsonRecord, rates = defaultPrice.rates) => {
      const facts = upstream.readReply(json);
      const seen = { textBytes: 0, images: facts?.images ?? 0 };
      return upstream.usageFor?.(call, facts?.usage, seen, rates, unlimited).usage;
    };
    expect(usedBy(drawn)).toMatchObject({ input: 4, output: 0, output_image: 1_290 });
    expect(usedBy(predicted)).toMatchObject({ images: 1 });
    expect(usedBy(drawn, { ...defaultPrice.rates, images: 5n })).toMatchObject({
      images: 1,
      input: 0,
    });
  });

  test.each([
    [
      { candidates: [{ content: { parts: [{ text: "I may not." }] }, finishReason: "STOP" }] },
      "I may not.",
    ],
    [{ candidates: [{ finishReason: "IMAGE_SAFETY" }] }, "IMAGE_SAFETY"],
    [{ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }, "PROHIBITED_CONTENT"],
    [{ predictions: [{ raiFilteredReason: "It shows somebody." }] }, "It shows somebody."],
    [{}, "no reason given"],
  ])("without an image, %j, is a refusal with the reason", (json, why) => {
    const { upstream } = wayFor({ prompt }, "gemini-2.5-flash-image");
    expect(upstream.errorIn?.(json)).toMatchObject({
      status: 400,
      message: expect.stringContaining(why),
    });
    expect(upstream.errorIn?.(drawn)).toBeUndefined();
  });

  test("reaches a client that asked for a stream as its last event", () => {
    const { translator, upstream } = wayFor({ prompt, stream: true }, "gemini-2.5-flash-image");
    const event = upstream.replies.streamFromReply?.(drawn) ?? "";
    const [line = "", data = ""] = (translator?.translateEvent(event) ?? "").split("\n");
    expect(line).toBe("event: image_generation.completed");
    expect(JSON.parse(data.slice(6))).toMatchObject({
      type: "image_generation.completed",
      b64_json: "iVBO",
      usage: { output_tokens: 1_290 },
    });
  });
});

test("a whole reply of an OpenAI-compatible provider becomes events, of which the last reports the usage", () => {
  const usage = { input_tokens: 3, output_tokens: 200 };
  const answer = {
    created: 7,
    data: [{ b64_json: "A" }, { b64_json: "B" }],
    usage,
    size: "1024x1024",
  };
  const events = (imageGenerations.upstream.replies.streamFromReply?.(answer) ?? "")
    .split("\n")
    .filter((line) => line.startsWith("data: "));
  const type = "image_generation.completed";
  expect(records(events.map((line) => JSON.parse(line.slice(6))))).toEqual([
    { type, b64_json: "A", created_at: 7, size: "1024x1024" },
    { type, b64_json: "B", created_at: 7, size: "1024x1024", usage },
  ]);
});
