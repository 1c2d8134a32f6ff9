/** Callers of embeddings, served by a channel that speaks Gemini's own interface. */

import { promptTokens } from "../../money/price.ts";
import type { RelayCall } from "../formats/api-format.ts";
import { batchEmbedContents } from "../formats/gemini-embeddings.ts";
import { parseGeminiUsage } from "../formats/gemini-usage.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { present, records, text } from "../wire/json-parts.ts";
import { embeddingList, replyOnly, textsIn } from "./embedding-list.ts";
import { droppedFieldsOf } from "./supported-fields.ts";
import { supportedByGeminiEmbeddings } from "./supported-from-chat.ts";
import type { Translation } from "./translation.ts";

function body({ input, dimensions }: JsonRecord): JsonRecord {
  const requests = textsIn(input).map((inputText) => {
    return present({ content: { parts: [{ text: text(inputText) }] }, outputDimensionality: dimensions });
  });
  return { requests };
}

function translateReply(call: RelayCall, { embeddings, usageMetadata }: JsonRecord): JsonRecord {
  const vectors = records(embeddings).map(({ values }) => values);
  const read = parseGeminiUsage(usageMetadata);
  return embeddingList(call, vectors, read && promptTokens(read.usage));
}

export const embeddingsToGemini: Translation = {
  target: batchEmbedContents.upstream,
  translateRequest: body,
  createReplyTranslator: (call) => replyOnly((json) => translateReply(call, json)),
  droppedFields: (json) => droppedFieldsOf(json, supportedByGeminiEmbeddings),
};
