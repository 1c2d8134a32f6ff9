// Pictures and sound by the AI SDK, unchanged but for its address.
import { createOpenAI, type OpenAIProvider } from "@ai-sdk/openai";
import { generatePng, generateWav } from "@tollgate/simulator/generated-media.ts";
import { generateImage, generateSpeech, transcribe } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

const prompt = "a red fox";
const byTokens = { ratio: 1, completion_ratio: 4 };
const configs = {
  "gpt-image-2": byTokens,
  "tts-1": { ratio: 2 },
  "whisper-1": { audio: { usd_per_second: 0.001 } },
};
let gateway: TestGateway;
let openai: OpenAIProvider;
beforeAll(async () => {
  gateway = await startTestGateway();
  const models = Object.keys(configs).join(",");
  await gateway.given.channel({ key: "sim-ok", models, model_configs: JSON.stringify(configs) });
  const { key } = await gateway.given.token();
  openai = createOpenAI({ apiKey: key, baseURL: `${gateway.url}/v1` });
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
});

test("draws pictures", async () => {
  const { images } = await generateImage({
    model: openai.image("gpt-image-2"),
    prompt,
    n: 2,
    maxRetries: 0,
  });
  expect(images.map(({ base64 }) => base64)).toEqual(
    [0, 1].map((at) => generatePng(`${prompt} ${at}`).toString("base64")),
  );
  expect(await gateway.lastLog()).toMatchObject({ quota: 3 + 200 * 4, outcome: "success" });
});

test("changes a picture", async () => {
  const model = openai.image("gpt-image-2");
  const { image } = await generateImage({
    model,
    prompt: { text: prompt, images: [generatePng("a fox")] },
    maxRetries: 0,
  });
  expect(image.base64).toBe(generatePng(`${prompt} 0`).toString("base64"));
  expect(await gateway.lastLog()).toMatchObject({ quota: 3 + 85 + 100 * 4, outcome: "success" });
});

test("speaks", async () => {
  const { audio } = await generateSpeech({
    model: openai.speech("tts-1"),
    text: "one two",
    voice: "alloy",
    maxRetries: 0,
  });
  expect(Buffer.from(audio.uint8Array)).toEqual(Buffer.concat([...generateWav("one two", 2)]));
  expect(await gateway.lastLog()).toMatchObject({ quota: 2 * 7, outcome: "success" });
});

test("writes a recording down", async () => {
  const audio = Buffer.concat([...generateWav("something", 60)]);
  const { text, durationInSeconds } = await transcribe({
    model: openai.transcription("whisper-1"),
    audio,
    maxRetries: 0,
  });
  expect([text.split(" ").length, durationInSeconds]).toEqual([12, 3]);
  expect(await gateway.lastLog()).toMatchObject({
    quota: 3 * 500,
    outcome: "success",
    content: "",
  });
});
