/** Requests of embeddings for models at Bedrock and Vertex. */

import {
  bedrockEmbeddings,
  computeVertexTokens,
  findBedrockVectors,
  findTitanTokens,
  vertexEmbeddings,
} from "../formats/cloud-embeddings.ts";
import { type JsonRecord, present, record, records } from "../wire/json-parts.ts";
import { buildEmbeddingList, readInputs, replyOnly } from "./embedding-list.ts";
import type { FieldReader } from "./request-reader.ts";
import type { Translation } from "./translation.ts";

const isCohere = (model: string): boolean => /(^|[./])cohere\./.test(model);

function translateBedrockBody(request: FieldReader, model: string): JsonRecord {
  const texts = readInputs(request);
  const dimensions = request.get("dimensions");
  if (isCohere(model))
    return present({ texts, input_type: "search_document", output_dimension: dimensions });
  // Titan accepts one text and refuses more in its own words.
  return present({ inputText: texts.length === 1 ? texts[0] : texts, dimensions });
}

export const embeddingsToBedrock: Translation = {
  target: bedrockEmbeddings,
  translateRequest: translateBedrockBody,
  createReplyTranslator: (call) =>
    replyOnly((json) =>
      buildEmbeddingList(call, findBedrockVectors(json) ?? [], findTitanTokens(json)),
    ),
};

export const embeddingsToVertex: Translation = {
  target: vertexEmbeddings,
  translateRequest: (request) => ({
    instances: readInputs(request).map((content) => ({ content })),
    parameters: present({ outputDimensionality: request.get("dimensions") }),
  }),
  createReplyTranslator: (call) =>
    replyOnly((json) => {
      const vectors = records(json.predictions).map(({ embeddings }) => record(embeddings).values);
      return buildEmbeddingList(call, vectors, computeVertexTokens(json) || call.promptEstimate);
    }),
};
