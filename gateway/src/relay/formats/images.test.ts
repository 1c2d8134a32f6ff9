// Bodies, answers and events follow OpenAI's API reference (images: create, edit, streaming);
// modelled, not captured.
import { describe, expect, test } from "vitest";
import { readForm } from "../wire/multipart.ts";
import { RelayRefused } from "../wire/relay-refusal.ts";
import type { RelayCall } from "./api-format.ts";
import { imageEdits, imageGenerations } from "./images.ts";

const read = (json: object) => imageGenerations.parseRequest(json, false);

async function formOf(fields: readonly (readonly [string, string | Blob])[]) {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const response = new Response(form);
  return readForm(
    response.headers.get("content-type") ?? "",
    Buffer.from(await response.arrayBuffer()),
  );
}
const picture = new Blob(["png"]);

test("a request tells how many images of which kind", () => {
  expect(
    read({
      model: "gpt-image-1",
      prompt: "four words of prompt",
      n: 2,
      size: "1024x1024",
      quality: "low",
    }),
  ).toEqual(
    expect.objectContaining({
      model: "gpt-image-1",
      isStream: false,
      choiceCount: 2,
      maxOutputTokens: 0,
      extras: { images: 2, output_image: 544 },
      variant: "1024x1024/low",
    }),
  );
});

test("the defaults are one image of the oldest model", () => {
  const { model, choiceCount, variant, isStream } = read({
    prompt: "x",
    model: null,
    n: null,
    size: null,
    stream: null,
  });
  expect([model, choiceCount, variant, isStream]).toEqual(["dall-e-2", 1, undefined, false]);
});

test.each([
  [{}, "prompt"],
  [{ prompt: "" }, "prompt"],
  [{ prompt: "x", n: 0 }, "n"],
  [{ prompt: "x", n: 1.5 }, "n"],
  [{ prompt: "x", n: 1_000 }, "n"],
  [{ prompt: "x", size: 7 }, "size"],
  [{ prompt: "x", model: 7 }, "model"],
])("%j is refused for its %s", (json, member) => {
  expect(() => read(json)).toThrow(
    expect.objectContaining({ refusal: expect.objectContaining({ param: member }) }),
  );
});

test.each([
  [[["image", picture]], 1],
  [
    [
      ["image[]", picture],
      ["image[]", picture],
      ["mask", picture],
    ],
    2,
  ],
  [
    [
      ["image[0]", picture],
      ["image[1]", picture],
    ],
    2,
  ],
] as const)("a form shows the model its pictures, not the mask", async (pictures, count) => {
  const form = await formOf([
    ...pictures,
    ["prompt", "x"],
    ["n", "2"],
    ["stream", "true"],
    ["quality", "hd"],
  ]);
  expect(imageEdits.parseForm?.(form, false)).toMatchObject({
    model: "dall-e-2",
    choiceCount: 2,
    isStream: true,
    variant: "/hd",
    extras: { images: 2, input_image: count * 3_000 },
  });
});

test.each([
  [[["prompt", "x"]], "image"],
  [
    [
      ["image", "no file"],
      ["prompt", "x"],
    ],
    "image",
  ],
  [[["image", picture]], "prompt"],
  [
    [
      ["image", picture],
      ["prompt", "x"],
      ["n", "1e3"],
    ],
    "n",
  ],
] as const)("the form %j is refused for its %s", async (fields, member) => {
  const form = await formOf(fields);
  expect(() => imageEdits.parseForm?.(form, false)).toThrow(RelayRefused);
  expect(() => imageEdits.parseForm?.(form, false)).toThrow(
    expect.objectContaining({ refusal: expect.objectContaining({ param: member }) }),
  );
});

describe("the body for an upstream", () => {
  const callOf = (json: object): RelayCall => ({
    ...read(json),
    client: imageGenerations,
    upstream: imageGenerations.upstream,
    headers: [],
    body: Buffer.from(JSON.stringify(json)),
  });
  const bodyFor = (json: object, model: string): string =>
    imageGenerations.upstream.writeBody(callOf(json), model, null).toString();
  test.each([
    [{ model: "a", prompt: "x" }, "a", '{"model":"a","prompt":"x"}'],
    [{ model: "a", prompt: "x" }, "b", '{"model":"b","prompt":"x"}'],
    [{ prompt: "x" }, "dall-e-2", '{"model":"dall-e-2","prompt":"x"}'],
    [{ model: null, prompt: "x" }, "dall-e-2", '{"model":"dall-e-2","prompt":"x"}'],
  ])("of %j for %s is %s", (json, model, body) => {
    expect(bodyFor(json, model)).toBe(body);
  });
});

describe("a reply", () => {
  test("counts its images, and text and image tokens separately", () => {
    const usage = {
      input_tokens: 1_050,
      input_tokens_details: { text_tokens: 50, image_tokens: 1_000 },
      output_tokens: 4_160,
      total_tokens: 5_210,
    };
    expect(imageGenerations.upstream.readReply({ created: 1, data: [{}, {}], usage })).toEqual({
      images: 2,
      text: "",
      usage: expect.objectContaining({
        usage: expect.objectContaining({
          input: 50,
          input_image: 1_000,
          output: 0,
          output_image: 4_160,
        }),
      }),
    });
  });
  test("counts text tokens beside image tokens, and cached tokens", () => {
    const usage = {
      input_tokens: 100,
      input_tokens_details: { text_tokens: 30, image_tokens: 70, cached_tokens: 40 },
      output_tokens: 90,
      output_tokens_details: { text_tokens: 20, image_tokens: 70 },
    };
    const read = imageGenerations.upstream.readReply({ data: [], usage })?.usage?.usage;
    expect(read).toMatchObject({
      input: 0,
      cache_read: 30,
      cache_read_image: 10,
      input_image: 60,
      output: 20,
      output_image: 70,
    });
  });
  test.each([
    undefined,
    null,
    {},
    { input_tokens: -1, output_tokens: 5 },
    { input_tokens: 0, output_tokens: 0 },
  ])("with the usage %j says nothing of tokens", (usage) => {
    expect(imageGenerations.upstream.readReply({ data: [{}], usage })).toEqual({
      images: 1,
      text: "",
      usage: undefined,
    });
  });
  test("without a list of images is rejected", () => {
    expect(imageGenerations.upstream.readReply({ created: 1 })).toBeUndefined();
    expect(imageGenerations.upstream.readReply({ images: [{ url: "x" }] })).toMatchObject({
      images: 1,
    });
  });
});

describe("a stream", () => {
  const event = (data: { type: string; [more: string]: unknown }) =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const partial = (partial_image_index: number) =>
    event({ type: "image_generation.partial_image", b64_json: "iVBOR", partial_image_index });
  const usage = { input_tokens: 3, output_tokens: 400 };
  const completed = event({ type: "image_generation.completed", b64_json: "iVBOR", usage });
  const readerOf = () => imageGenerations.upstream.createEventReader({} as RelayCall);

  test("counts an image once, with its first partial image", () => {
    const reader = readerOf();
    const events = [partial(0), partial(1), completed, completed, partial(0)].map(reader);
    expect(events.map(({ kind, images = 0 }) => [kind, images])).toEqual([
      ["content", 1],
      ["content", 0],
      ["content", 0],
      ["content", 1],
      ["content", 1],
    ]);
    expect(events[2]).toMatchObject({
      isLast: true,
      usage: { usage: { input: 3, output_image: 400 } },
    });
  });
  test.each([
    [
      event({ type: "error", error: { message: "no" } }),
      { kind: "error", error: { message: "no" } },
    ],
    ['data: {"error":{"message":"no"}}\n\n', { kind: "error", error: { message: "no" } }],
    ['data: {"type":"image_generation.completed","b64_json":]}\n\n', { kind: "malformed" }],
    ["data: nonsense\n\n", { kind: "malformed" }],
    [event({ type: "keepalive" }), { kind: "other" }],
    [": comment\n\n", { kind: "other" }],
    ["data: [DONE]\n\n", { kind: "done" }],
  ])("reads %j correctly", (text, facts) => {
    expect(readerOf()(text)).toMatchObject(facts);
  });
});
