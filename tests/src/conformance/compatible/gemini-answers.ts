// Answers of providers that speak Gemini's API.
import { type CompatibleAnswer, hear, look, page } from "./answer-shapes.ts";

const pixel = "iVBORw0KGgo=";
const metered = { promptTokenCount: 5, candidatesTokenCount: 9, totalTokenCount: 14 };
const answer = (parts: readonly object[], more: object = {}, beside: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  usageMetadata: metered,
  modelVersion: "m",
  responseId: "r1",
  ...beside,
});
const stop = { finishReason: "STOP" };
const grounding = {
  webSearchQueries: ["a"],
  searchEntryPoint: { renderedContent: "<div>" },
  groundingChunks: [{ web: { uri: page, title: "A" } }],
  groundingSupports: [
    {
      segment: { startIndex: 0, endIndex: 1, text: "A" },
      groundingChunkIndices: [0],
      confidenceScores: [0.9],
    },
  ],
};

const answers: readonly Omit<CompatibleAnswer, "speaks">[] = [
  {
    name: "Vertex: usage and kind of traffic in each event, an empty text at the end",
    reply: answer(
      [{ text: "Hm.", thought: true }, { text: "A word" }],
      { ...stop, avgLogprobs: -0.1 },
      {
        createTime: "t",
        usageMetadata: {
          ...metered,
          trafficType: "ON_DEMAND",
          promptTokensDetails: [{ modality: "TEXT", tokenCount: 5 }],
        },
      },
    ),
    events: [
      answer(
        [{ text: "Hm.", thought: true }],
        {},
        { usageMetadata: { promptTokenCount: 5, trafficType: "ON_DEMAND", totalTokenCount: 5 } },
      ),
      answer(
        [{ text: "A word" }],
        {},
        { usageMetadata: { ...metered, candidatesTokenCount: 4, totalTokenCount: 9 } },
      ),
      answer([{ text: "" }], stop),
    ],
    text: "A word",
    thought: "Hm.",
  },
  {
    name: "Gemini: calls with ids and signatures, in one event",
    reply: answer(
      [
        { functionCall: { id: "f1", name: "look", args: look.input }, thoughtSignature: "c2ln" },
        { functionCall: { id: "f2", name: "hear", args: hear.input } },
      ],
      stop,
    ),
    events: [
      answer([
        { functionCall: { id: "f1", name: "look", args: look.input }, thoughtSignature: "c2ln" },
        { functionCall: { id: "f2", name: "hear", args: hear.input } },
      ]),
      answer([{ text: "", thoughtSignature: "c2ln" }], stop),
    ],
    calls: [look, hear],
  },
  {
    name: "Gemini: grounding with places",
    reply: answer([{ text: "A word" }], { ...stop, groundingMetadata: grounding }),
    events: [
      answer([{ text: "A " }]),
      answer([{ text: "word" }], { ...stop, groundingMetadata: grounding }),
    ],
    text: "A word",
    sources: [page],
  },
  {
    name: "Gemini: a picture between texts",
    reply: answer(
      [{ text: "A " }, { inlineData: { mimeType: "image/png", data: pixel } }, { text: "word" }],
      stop,
    ),
    events: [
      answer([{ text: "A " }]),
      answer([{ inlineData: { mimeType: "image/png", data: pixel } }]),
      answer([{ text: "word" }], stop),
    ],
    text: "A word",
    pictures: [pixel],
  },
  ...[
    "SAFETY",
    "RECITATION",
    "PROHIBITED_CONTENT",
    "BLOCKLIST",
    "SPII",
    "LANGUAGE",
    "IMAGE_SAFETY",
  ].map((finishReason) => ({
    name: `Gemini: ended for ${finishReason}`,
    reply: answer([{ text: "A w" }], { finishReason, safetyRatings: [] }),
    events: [
      answer([{ text: "A w" }]),
      { ...answer([]), candidates: [{ finishReason, index: 0 }] },
    ],
    text: "A w",
    end: "filter" as const,
  })),
  {
    name: "Gemini: the limit was reached while it thought",
    reply: {
      ...answer([]),
      candidates: [{ content: { role: "model" }, finishReason: "MAX_TOKENS", index: 0 }],
      usageMetadata: { promptTokenCount: 5, thoughtsTokenCount: 9, totalTokenCount: 14 },
    },
    events: [
      {
        candidates: [{ content: { role: "model" }, finishReason: "MAX_TOKENS", index: 0 }],
        usageMetadata: { promptTokenCount: 5, thoughtsTokenCount: 9, totalTokenCount: 14 },
        responseId: "r1",
      },
    ],
    end: "length",
  },
];

export const geminiAnswers = answers.map(
  (one): CompatibleAnswer => ({ speaks: "Gemini", output: 9, ...one }),
);
