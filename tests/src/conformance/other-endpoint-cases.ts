/** Endpoints other than conversations: older ones, embeddings, token counts, lists of models. */
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { GoogleGenerativeAIEmbeddings } from "@langchain/google-genai";
import { OpenAIEmbeddings } from "@langchain/openai";
import { embedMany, experimental_generateSpeech, experimental_transcribe, generateImage } from "ai";
import OpenAI, { toFile } from "openai";
import { beforeAll, describe, expect } from "vitest";
import type { ConformanceGateway } from "./conformance-gateway.ts";
import type { ConformanceGrid } from "./conformance-grid.ts";
import { answerText, type GatewayAccess, imageBase64, prompt } from "./conversation-scenario.ts";
import { postRaw } from "./endpoint-requests.ts";
import { type OtherEndpoint, providerFamilies } from "./provider-families.ts";
import type { ProviderWire } from "./provider-wires.ts";
import { completeReply, type FixtureReply, streamedReply } from "./wire-fixtures.ts";

export const otherTable = "Other entries";

interface OtherEndpointCase {
  access: GatewayAccess;
  model: string;
  play(...answers: FixtureReply[]): void;
  /** JSON, or the text of a form. */
  asked(): { url: string; body: unknown };
  wire: ProviderWire;
}

const openai = ({ url, key }: GatewayAccess) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
const google = ({ url, key }: GatewayAccess) =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });

const texts = ["one", "two"];
const vectors = [
  [0.25, -0.5, 0.125],
  [0.5, 0.75, -1],
];

/** Vectors as the library wants them, and as the provider of a wire sends them. */
const scriptVectors = (one: OtherEndpointCase, encoding: "base64" | "float") => {
  const isBase64 = encoding === "base64" && one.wire.name === "openai-chat";
  one.play(
    completeReply(
      one.wire.name,
      isBase64 ? "embeddings-base64" : (one.wire.vectors ?? "embeddings"),
    ),
  );
};

/**
 * `endpointChecks` go by endpoint and library; each scripts the provider's reply and checks what
 * the library makes of it.
 */
const endpointChecks: Record<
  OtherEndpoint,
  Record<string, (one: OtherEndpointCase) => Promise<void>>
> = {
  Completions: {
    async openai({ access, model, play, wire }) {
      play(completeReply(wire.name, "completion"));
      const answer = await openai(access).completions.create({ model, prompt });
      expect(answer.choices[0]?.text).toBe(answerText);
      expect(answer.usage).toMatchObject({ prompt_tokens: 24, completion_tokens: 12 });
      play(streamedReply(wire.name, "completion"));
      let text = "";
      for await (const piece of await openai(access).completions.create({
        model,
        prompt,
        stream: true,
      })) {
        text += piece.choices[0]?.text ?? "";
      }
      expect(text).toBe(answerText);
    },
  },

  Embeddings: {
    async openai(one) {
      scriptVectors(one, "base64");
      const answer = await openai(one.access).embeddings.create({ model: one.model, input: texts });
      expect(answer.data.map(({ embedding }) => embedding)).toEqual(vectors);
      scriptVectors(one, "float");
      const floats = await openai(one.access).embeddings.create({
        model: one.model,
        input: texts,
        encoding_format: "float",
      });
      expect(floats.data.map(({ embedding }) => embedding)).toEqual(vectors);
    },
    async ai(one) {
      scriptVectors(one, "float");
      const { url, key } = one.access;
      const model = createOpenAI({ baseURL: `${url}/v1`, apiKey: key }).embedding(one.model);
      expect((await embedMany({ model, values: texts, maxRetries: 0 })).embeddings).toEqual(
        vectors,
      );
    },
    async langchain(one) {
      scriptVectors(one, "base64");
      const { url, key } = one.access;
      const configuration = { baseURL: `${url}/v1` };
      const library = new OpenAIEmbeddings({
        model: one.model,
        apiKey: key,
        maxRetries: 0,
        configuration,
      });
      expect(await library.embedDocuments(texts)).toEqual(vectors);
    },
  },

  "Gemini embeddings": {
    async "@google/genai"(one) {
      one.play(completeReply(one.wire.name, "embeddings"));
      const answer = await google(one.access).models.embedContent({
        model: one.model,
        contents: texts,
      });
      expect(answer.embeddings?.map(({ values }) => values)).toEqual(vectors);
    },
    async ai(one) {
      one.play(completeReply(one.wire.name, "embeddings"));
      const { url, key } = one.access;
      const model = createGoogle({ baseURL: `${url}/v1beta`, apiKey: key }).embedding(one.model);
      expect((await embedMany({ model, values: texts, maxRetries: 0 })).embeddings).toEqual(
        vectors,
      );
    },
    async langchain(one) {
      one.play(completeReply(one.wire.name, "embeddings"));
      const { url, key } = one.access;
      const library = new GoogleGenerativeAIEmbeddings({
        model: one.model,
        apiKey: key,
        baseUrl: url,
        maxRetries: 0,
      });
      expect(await library.embedDocuments(texts)).toEqual(vectors);
    },
  },

  Moderations: {
    async openai({ access, model, play, wire }) {
      play(completeReply(wire.name, "moderations"));
      const answer = await openai(access).moderations.create({ model, input: prompt });
      expect(answer.results[0]).toMatchObject({ flagged: true, categories: { violence: true } });
    },
  },

  Rerank: {
    async fetch({ access, model, play, asked, wire }) {
      play(completeReply(wire.name, "rerank"));
      const reply = await postRaw(access, "/v1/rerank", {
        model,
        query: "second",
        documents: texts,
      });
      expect(asked().body).toMatchObject({ query: "second", documents: texts });
      expect(reply.body.results.map(({ index }: { index: number }) => index)).toEqual([1, 0]);
    },
  },

  OCR: {
    async fetch({ access, model, play, asked, wire }) {
      play(completeReply(wire.name, "ocr"));
      const reply = await postRaw(access, "/v1/ocr", { model, file: scan });
      expect(asked().body).toMatchObject({ file: scan });
      expect(reply.body.md_results).toBe(answerText);
    },
  },

  Images: {
    async openai({ access, model, play, asked, wire }) {
      play(completeReply(wire.name, "images"));
      const answer = await openai(access).images.generate({ model, prompt });
      // Replicate stores its pictures and returns their addresses.
      const address = "https://replicate.delivery/xezq/a/out-0.png";
      expect(answer.data).toMatchObject([
        wire.name === "replicate" ? { url: address } : { b64_json: imageBase64 },
      ]);
      expect(JSON.stringify(asked().body)).toContain(prompt);
    },
    async ai({ access, model, play, wire }) {
      play(completeReply(wire.name, "images"));
      const { image } = await generateImage({
        model: aiOpenai(access).image(model),
        prompt,
        maxRetries: 0,
      });
      expect(image.base64).toBe(imageBase64);
    },
  },

  "Edits of images": {
    async openai({ access, model, play, asked, wire }) {
      play(completeReply(wire.name, "images"));
      const image = await toFile(dot, "dot.png", { type: "image/png" });
      const answer = await openai(access).images.edit({ model, prompt, image });
      expect(answer.data?.map(({ b64_json }) => b64_json)).toEqual([imageBase64]);
      expect(asked().body).toContain(prompt);
    },
  },

  Speech: {
    async openai({ access, model, play, asked, wire }) {
      const spoken = completeReply(wire.name, "speech");
      play(spoken);
      const answer = await openai(access).audio.speech.create({
        model,
        voice: "alloy",
        input: answerText,
      });
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(spoken.bytes);
      expect(asked().body).toMatchObject({ input: answerText, voice: "alloy" });
    },
    async ai({ access, model, play, wire }) {
      const spoken = completeReply(wire.name, "speech");
      play(spoken);
      const { audio } = await experimental_generateSpeech({
        model: aiOpenai(access).speech(model),
        text: answerText,
        maxRetries: 0,
      });
      expect(Buffer.from(audio.uint8Array)).toEqual(spoken.bytes);
    },
  },

  Transcriptions: {
    async openai({ access, model, play, asked, wire }) {
      play(completeReply(wire.name, "transcription"));
      const answer = await openai(access).audio.transcriptions.create({
        model,
        file: await recordingFile(),
      });
      expect(answer.text).toBe(answerText);
      expect(asked().body).toContain("WAVEfmt");
    },
    async ai({ access, model, play, wire }) {
      play(completeReply(wire.name, "transcription"));
      const { text } = await experimental_transcribe({
        model: aiOpenai(access).transcription(model),
        audio: recording(),
        maxRetries: 0,
      });
      expect(text).toBe(answerText);
    },
  },

  "Translations of speech": {
    async openai({ access, model, play, wire }) {
      play(completeReply(wire.name, "translation"));
      const answer = await openai(access).audio.translations.create({
        model,
        file: await recordingFile(),
      });
      expect(answer.text).toBe(answerText);
    },
  },
};

/** A tenth of a second of silence. */
function recording(): Buffer {
  const samples = Buffer.alloc(1_600);
  const head = Buffer.alloc(44);
  head.write("RIFF");
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}
const recordingFile = () => toFile(recording(), "question.wav", { type: "audio/wav" });
const dot = Buffer.from(imageBase64, "base64");
const aiOpenai = ({ url, key }: GatewayAccess) =>
  createOpenAI({ baseURL: `${url}/v1`, apiKey: key });

const scan = "https://example.com/scan.pdf";

function formOf(
  fields: Record<string, string>,
  [name, bytes, file]: [string, Buffer, string],
): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set(name, new Blob([new Uint8Array(bytes)]), file);
  return form;
}

const paths: Record<OtherEndpoint, (model: string) => [string, object]> = {
  Completions: (model) => ["/v1/completions", { model, prompt }],
  Embeddings: (model) => ["/v1/embeddings", { model, input: texts }],
  "Gemini embeddings": (model) => [
    `/v1beta/models/${model}:embedContent`,
    { content: { parts: [{ text: prompt }] } },
  ],
  Moderations: (model) => ["/v1/moderations", { model, input: prompt }],
  Rerank: (model) => ["/v1/rerank", { model, query: "second", documents: texts }],
  OCR: (model) => ["/v1/ocr", { model, file: scan }],
  Images: (model) => ["/v1/images/generations", { model, prompt }],
  "Edits of images": (model) => [
    "/v1/images/edits",
    formOf({ model, prompt }, ["image", dot, "dot.png"]),
  ],
  Speech: (model) => ["/v1/audio/speech", { model, voice: "alloy", input: answerText }],
  Transcriptions: (model) => [
    "/v1/audio/transcriptions",
    formOf({ model }, ["file", recording(), "question.wav"]),
  ],
  "Translations of speech": (model) => [
    "/v1/audio/translations",
    formOf({ model }, ["file", recording(), "a.wav"]),
  ],
};

/** What every family has, because the gateway answers it where the provider does not. */
const always: Record<string, Record<string, (one: OtherEndpointCase) => Promise<void>>> = {
  "count_tokens of Messages": {
    async "@anthropic-ai/sdk"({ access: { url, key }, model, play, wire }) {
      // Amazon does not count, so the gateway estimates.
      const isCounted = wire.name === "anthropic-messages" && wire.framing === undefined;
      if (isCounted) play(completeReply(wire.name, "count"));
      const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
      const answer = await client.messages.countTokens({
        model,
        messages: [{ role: "user", content: prompt }],
      });
      if (isCounted) expect(answer.input_tokens).toBe(24);
      else expect(answer.input_tokens).toBeGreaterThan(0);
    },
  },
  "countTokens of Gemini": {
    async "@google/genai"({ access, model, play, wire }) {
      if (wire.name === "gemini") play(completeReply(wire.name, "count"));
      const answer = await google(access).models.countTokens({ model, contents: prompt });
      if (wire.name === "gemini") expect(answer.totalTokens).toBe(24);
      else expect(answer.totalTokens).toBeGreaterThan(0);
    },
  },
  "list of models": {
    async openai({ access, model }) {
      expect((await openai(access).models.list()).data.map(({ id }) => id)).toContain(model);
    },
    async "@anthropic-ai/sdk"({ access: { url, key }, model }) {
      const { data } = await new Anthropic({ baseURL: url, apiKey: key }).models.list();
      expect(data.map(({ id }) => id)).toContain(model);
    },
    async "@google/genai"({ access, model }) {
      const names: (string | undefined)[] = [];
      for await (const { name } of await google(access).models.list()) names.push(name);
      expect(names).toContain(`models/${model}`);
    },
  },
};

export const realtimeColumns = ["Realtime", "Realtime transcription"] as const;
export const otherColumns = [
  ...Object.keys(endpointChecks),
  ...realtimeColumns,
  ...Object.keys(always),
];

export function testOtherEndpoints(grid: ConformanceGrid, gateway: ConformanceGateway): void {
  for (const family of providerFamilies) {
    describe(`other entries over ${family.name}`, () => {
      const model = `${family.model}-other`;
      const embedding = `${model}-embedding`;
      beforeAll(async () => {
        await gateway.channel(family, [model]);
        if (family.embedding)
          await gateway.channel({ ...family, upstream: family.embedding }, [embedding]);
      });
      const caseOf = (wire: ProviderWire, column?: string): OtherEndpointCase => ({
        access: gateway.access,
        model: column === "Embeddings" && family.embedding ? embedding : model,
        wire,
        play: (...answers) => gateway.upstream.play(...answers),
        asked: () => gateway.upstream.requests.at(-1) ?? { url: "", body: {} },
      });
      for (const [column, by] of Object.entries(always)) {
        for (const [library, run] of Object.entries(by)) {
          const cell = { table: otherTable, row: family.name, column };
          const act = () => run(caseOf(family.wire.Gemini));
          grid.test(cell, library, act);
        }
      }
      for (const [column, by] of Object.entries(endpointChecks) as [
        OtherEndpoint,
        (typeof endpointChecks)[OtherEndpoint],
      ][]) {
        const cell = { table: otherTable, row: family.name, column };
        const wire = family.other[column];
        if (!wire) refuses(grid, gateway, cell, () => paths[column](model));
        else {
          for (const [library, run] of Object.entries(by)) {
            const isKept = library === "ai" && column === "Images" && wire.name === "replicate";
            if (isKept) grid.cannot(cell, "it would have to fetch the picture.", library);
            else grid.test(cell, library, () => run(caseOf(wire, column)));
          }
        }
      }
    });
  }
}

/** What a family lacks is refused in the endpoint's own format, and no channel is called. */
function refuses(
  grid: ConformanceGrid,
  gateway: ConformanceGateway,
  cell: Parameters<ConformanceGrid["test"]>[0],
  call: () => [string, object],
): void {
  grid.lacks(
    cell,
    "The provider has nothing of the kind: calls are refused with 400.",
    "is refused",
    async () => {
      gateway.upstream.play();
      const reply = await postRaw(gateway.access, ...call());
      expect(reply.status).toBe(400);
      expect(reply.body.error.message).toContain("request id");
      expect(gateway.upstream.requests).toEqual([]);
    },
  );
}
