/** Requests of embeddings for Gemini's API. */

import { promptTokens } from "../../money/prices/price.ts";
import type { AskedModel, AskedSize, SentBody } from "../formats/call-parts.ts";
import { batchEmbedContents } from "../formats/gemini-embeddings.ts";
import { parseGeminiUsage } from "../formats/usage/gemini-usage.ts";
import { type JsonRecord, present, records, text } from "../wire/json-parts.ts";
import { buildEmbeddingList, readInputs, replyOnly } from "./embedding-list.ts";
import type { FieldReader } from "./request-reader.ts";
import type { Translation } from "./translation.ts";

function translateRequest(request: FieldReader): JsonRecord {
  const dimensions = request.get("dimensions");
  const requests = readInputs(request).map((inputText) => {
    return present({
      content: { parts: [{ text: text(inputText) }] },
      outputDimensionality: dimensions,
    });
  });
  return { requests };
}

function translateReply(
  call: AskedModel & AskedSize & SentBody,
  { embeddings, usageMetadata }: JsonRecord,
): JsonRecord {
  const vectors = records(embeddings).map(({ values }) => values);
  const read = parseGeminiUsage(usageMetadata);
  return buildEmbeddingList(call, vectors, read && promptTokens(read.usage));
}

export const embeddingsToGemini: Translation = {
  target: batchEmbedContents.upstream,
  translateRequest,
  createReplyTranslator: (call) => replyOnly((json) => translateReply(call, json)),
};
