/** Callers of embeddings, served by a channel that speaks Gemini's own interface. */

import { promptTokens } from "../../money/price.ts";
import type { Json } from "../json-parts.ts";
import { present, records, text } from "../json-parts.ts";
import { batchEmbedContents } from "../shapes/gemini-embeddings.ts";
import { geminiUsage } from "../shapes/gemini-usage.ts";
import type { Call } from "../shapes/shape.ts";
import { embeddingList, textsIn, wholeOnly } from "./embedding-list.ts";
import { lostOf } from "./kept.ts";
import { keptByGeminiEmbeddings } from "./kept-from-chat.ts";
import type { Translation } from "./translation.ts";

function body({ input, dimensions }: Json): Json {
  const requests = textsIn(input).map((said) => {
    return present({ content: { parts: [{ text: text(said) }] }, outputDimensionality: dimensions });
  });
  return { requests };
}

function whole(call: Call, { embeddings, usageMetadata }: Json): Json {
  const vectors = records(embeddings).map(({ values }) => values);
  const read = geminiUsage(usageMetadata);
  return embeddingList(call, vectors, read && promptTokens(read.usage));
}

export const embeddingsToGemini: Translation = {
  to: batchEmbedContents,
  body,
  answers: (call) => wholeOnly((json) => whole(call, json)),
  lost: (json) => lostOf(json, keptByGeminiEmbeddings),
};
