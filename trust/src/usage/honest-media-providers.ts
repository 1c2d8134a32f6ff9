// Providers of embeddings, rankings, pictures, speech and transcripts that count honestly.
import {
  computeCompletionTokens,
  type ExtraBucket,
  noUsage,
  type Price,
  type Usage,
} from "@tollgate/gateway/money/prices/price.ts";
import { defaultPrice } from "@tollgate/gateway/money/prices/price-book.ts";
import { findGeminiFormat } from "@tollgate/gateway/relay/formats/gemini-endpoints.ts";
import { imageEdits, imageGenerations } from "@tollgate/gateway/relay/formats/images.ts";
import { embeddings, rerank } from "@tollgate/gateway/relay/formats/openai-basic-formats.ts";
import { speech } from "@tollgate/gateway/relay/formats/speech.ts";
import { transcriptions, translations } from "@tollgate/gateway/relay/formats/transcriptions.ts";
import type { UpstreamPlan } from "@tollgate/gateway/relay/routing/translation-registry.ts";
import { model, parseCall, planOver } from "@tollgate/tests/conformance/in-process-relay.ts";
import { formCall } from "@tollgate/tests/support/form-call.ts";
import {
  base64Of,
  type HonestCounts,
  type HonestStream,
  streamOf,
  type WireJson,
} from "./honest-provider.ts";

export interface HonestReplies {
  name: string;
  plan: UpstreamPlan;
  price?: Price;
  reply(counts: HonestCounts): WireJson;
  billed(counts: HonestCounts): Usage;
}

export interface HonestMediaStream {
  name: string;
  plan: UpstreamPlan;
  price?: Price;
  stream(pieces: readonly string[], counts: HonestCounts): HonestStream;
  /** `paidFor` says how much of what was delivered a usage pays for. */
  paidFor(usage: Usage): number;
}

const priceWith = (bucket: ExtraBucket, picodollars: bigint): Price => ({
  ...defaultPrice,
  rates: { ...defaultPrice.rates, [bucket]: picodollars },
});
const onlyInput = ({ input }: HonestCounts): Usage => ({ ...noUsage, input });

const embedding = parseCall(embeddings, { model, input: ["a word", "two words"] });
const oneEmbedding = parseCall(embeddings, { model, input: "a word" });
const geminiPath = `/v1beta/models/${model}:batchEmbedContents`;
const geminiEmbedding = parseCall(findGeminiFormat(geminiPath, geminiPath), {
  requests: [{ content: { parts: [{ text: "a word" }] } }],
});
const geminiVectors = ({ input }: HonestCounts): WireJson => ({
  embeddings: [{ values: [0.1] }, { values: [0.2] }],
  usageMetadata: { promptTokenCount: input, totalTokenCount: input },
});

const inputOnly: readonly HonestReplies[] = [
  {
    name: "OpenAI's embeddings",
    plan: planOver(embedding, "embeddings"),
    reply: ({ input }) => ({
      object: "list",
      data: [0, 1].map((index) => ({ object: "embedding", index, embedding: [0.1] })),
      usage: { prompt_tokens: input, total_tokens: input },
    }),
    billed: onlyInput,
  },
  {
    name: "Google's embeddings, asked for in OpenAI's format",
    plan: planOver(embedding, "gemini_embeddings"),
    reply: geminiVectors,
    billed: onlyInput,
  },
  {
    name: "Google's embeddings",
    plan: planOver(geminiEmbedding, "gemini_embeddings"),
    reply: geminiVectors,
    billed: onlyInput,
  },
  {
    name: "Vertex's embeddings, counted text by text",
    plan: planOver(embedding, "vertex_embeddings"),
    reply: ({ input, cached }) => ({
      predictions: [input, cached].map((token_count) => ({
        embeddings: { values: [0.1], statistics: { token_count } },
      })),
    }),
    billed: ({ input, cached }) => ({ ...noUsage, input: input + cached }),
  },
  {
    name: "Titan's embeddings",
    plan: planOver(oneEmbedding, "bedrock_embeddings"),
    reply: ({ input }) => ({ embedding: [0.1], inputTextTokenCount: input }),
    billed: onlyInput,
  },
];

const ranking = planOver(
  parseCall(rerank, { model, query: "a word", documents: ["one", "two"] }),
  "rerank",
);
const rankings: readonly HonestReplies[] = [
  {
    name: "Voyage's rankings",
    plan: ranking,
    reply: ({ input }) => ({
      data: [{ index: 0, relevance_score: 0.5 }],
      usage: { total_tokens: input },
    }),
    billed: onlyInput,
  },
  {
    name: "Cohere's rankings",
    plan: ranking,
    reply: ({ searches }) => ({
      results: [{ index: 0, relevance_score: 0.5 }],
      meta: { billed_units: { search_units: searches + 1 } },
    }),
    billed: ({ searches }) => ({ ...noUsage, search_units: searches + 1 }),
  },
];

/** Pictures are among what it read and drew, and it wrote some text besides. */
const pictureUsage = ({
  input,
  cached,
  cacheWrites,
  reasoning,
  searches,
}: HonestCounts): WireJson => ({
  input_tokens: input + cached + cacheWrites,
  input_tokens_details: {
    text_tokens: input + cached,
    image_tokens: cacheWrites,
    cached_tokens: cached,
  },
  output_tokens: reasoning + 1 + searches,
  output_tokens_details: { image_tokens: reasoning + 1, text_tokens: searches },
  total_tokens: input + cached + cacheWrites + reasoning + 1 + searches,
});
const picturesBilled = ({
  input,
  cached,
  cacheWrites,
  reasoning,
  searches,
}: HonestCounts): Usage => ({
  ...noUsage,
  input,
  cache_read: cached,
  output: searches,
  output_image: reasoning + 1,
  ...(cacheWrites > 0 && { input_image: cacheWrites }),
});

const drawing = { model, prompt: "an otter" };
const drawn = parseCall(imageGenerations, drawing);
const pictures = (n: number): WireJson[] =>
  Array.from({ length: n }, () => ({ b64_json: base64Of("otter") }));
const drawings: readonly HonestReplies[] = [
  {
    name: "OpenAI's pictures",
    plan: planOver(drawn, "images_generations"),
    reply: (counts) => ({ created: 1, data: pictures(1), usage: pictureUsage(counts) }),
    billed: picturesBilled,
  },
  {
    name: "OpenAI's edited pictures",
    plan: planOver(
      await formCall(imageEdits, { ...drawing, image: new Blob(["png"]) }),
      "images_edits",
    ),
    reply: (counts) => ({ created: 1, data: pictures(1), usage: pictureUsage(counts) }),
    billed: picturesBilled,
  },
  {
    name: "pictures at a price for each",
    plan: planOver(drawn, "images_generations"),
    price: priceWith("images", 40_000_000_000n),
    reply: ({ searches }) => ({ created: 1, data: pictures(searches + 1) }),
    billed: ({ searches }) => ({ ...noUsage, images: searches + 1 }),
  },
  {
    name: "Google's pictures",
    plan: planOver(drawn, "gemini"),
    reply: ({ input, reasoning, searches }) => ({
      candidates: [
        {
          content: { parts: [{ inlineData: { mimeType: "image/png", data: base64Of("otter") } }] },
        },
      ],
      usageMetadata: {
        promptTokenCount: input,
        candidatesTokenCount: searches + 1,
        candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: searches + 1 }],
        thoughtsTokenCount: reasoning,
        totalTokenCount: input + searches + 1 + reasoning,
      },
    }),
    billed: ({ input, reasoning, searches }) => ({
      ...noUsage,
      input,
      output: reasoning,
      output_image: searches + 1,
    }),
  },
];

/** As `usage` of a transcript, of which the gateway sees the words. */
const heardUsage = ({ input, cacheWrites }: HonestCounts, output: number): WireJson => ({
  type: "tokens",
  input_tokens: input + cacheWrites,
  input_token_details: { text_tokens: input, audio_tokens: cacheWrites },
  output_tokens: output,
  total_tokens: input + cacheWrites + output,
});
const heardBilled = ({ input, cacheWrites }: HonestCounts, output: number): Usage => ({
  ...noUsage,
  input,
  input_audio: cacheWrites,
  output,
});

const recording = { model, file: new Blob(["sound"]) };
const bySecond = priceWith("seconds", 1_000_000n);
const heard: readonly HonestReplies[] = [
  {
    name: "transcripts by the token",
    plan: planOver(await formCall(transcriptions, recording), "audio_transcription"),
    reply: (counts) => ({ text: "so it is", usage: heardUsage(counts, counts.reasoning) }),
    billed: (counts) => heardBilled(counts, counts.reasoning),
  },
  {
    name: "transcripts by the second",
    plan: planOver(await formCall(transcriptions, recording), "audio_transcription"),
    price: bySecond,
    reply: ({ searches }) => ({
      text: "so it is",
      usage: { type: "duration", seconds: searches + 0.4 },
    }),
    billed: ({ searches }) => ({ ...noUsage, seconds: searches + 1 }),
  },
  {
    name: "translated recordings, whose reply names their length alone",
    plan: planOver(await formCall(translations, recording), "audio_translation"),
    price: bySecond,
    reply: ({ searches }) => ({ text: "so it is", duration: searches + 1 }),
    billed: ({ searches }) => ({ ...noUsage, seconds: searches + 1 }),
  },
];

export const honestReplies: readonly HonestReplies[] = [
  ...inputOnly,
  ...rankings,
  ...drawings,
  ...heard,
];

/** Of 16-bit sound at 24 kHz, where a second is 1,250 tokens a minute. */
const bytesOfOneToken = 2_304;
const spoken = {
  model,
  input: "so it is",
  voice: "alloy",
  response_format: "pcm",
  stream_format: "sse",
};

export const honestMediaStreams: readonly HonestMediaStream[] = [
  {
    name: "OpenAI's pictures, drawn in steps",
    plan: planOver(
      parseCall(imageGenerations, { ...drawing, stream: true, partial_images: 3 }),
      "images_generations",
    ),
    stream: (pieces, counts) =>
      streamOf(
        [
          ...pieces.map((piece, index) => ({
            data: {
              type: "image_generation.partial_image",
              partial_image_index: index,
              b64_json: base64Of(piece),
            },
            // The first step begins the only picture.
            words: index === 0 ? 1 : 0,
          })),
          {
            data: {
              type: "image_generation.completed",
              b64_json: base64Of("otter"),
              usage: pictureUsage(counts),
            },
            isFinished: true,
            isCounted: true,
          },
        ],
        picturesBilled(counts),
      ),
    paidFor: ({ images = 0, output_image = 0 }) => images + output_image,
  },
  {
    name: "OpenAI's speech",
    plan: planOver(parseCall(speech, spoken), "audio_speech"),
    price: priceWith("output_audio", 12_000_000n),
    stream(pieces, { input, reasoning }) {
      const output_audio = pieces.length + reasoning;
      const usage = {
        input_tokens: input,
        output_tokens: output_audio,
        total_tokens: input + output_audio,
      };
      const audio = Buffer.alloc(bytesOfOneToken).toString("base64");
      return streamOf(
        [
          ...pieces.map(() => ({ data: { type: "speech.audio.delta", audio }, words: 1 })),
          {
            data: { type: "speech.audio.done", usage },
            counted: output_audio,
            isFinished: true,
            isCounted: true,
          },
        ],
        { ...noUsage, input, output_audio },
      );
    },
    paidFor: computeCompletionTokens,
  },
  {
    name: "OpenAI's transcripts",
    plan: planOver(
      await formCall(transcriptions, { ...recording, stream: "true" }),
      "audio_transcription",
    ),
    stream(pieces, counts) {
      const output = pieces.length + counts.reasoning;
      const done = {
        type: "transcript.text.done",
        text: pieces.join(""),
        usage: heardUsage(counts, output),
      };
      return streamOf(
        [
          ...pieces.map((delta) => ({ data: { type: "transcript.text.delta", delta }, words: 1 })),
          { data: done, counted: output, isFinished: true, isCounted: true },
        ],
        heardBilled(counts, output),
      );
    },
    paidFor: computeCompletionTokens,
  },
];
