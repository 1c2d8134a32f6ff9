/** Requests of embeddings for models at Bedrock and Vertex. */

import {
  bedrockEmbeddings,
  bedrockVectors,
  titanTokens,
  vertexEmbeddings,
  vertexTokens,
} from "../formats/cloud-embeddings.ts";
import { type JsonRecord, present, record, records } from "../wire/json-parts.ts";
import { embeddingList, readInputs, replyOnly } from "./embedding-list.ts";
import type { RequestReader } from "./request-reader.ts";
import type { Translation } from "./translation.ts";

const isCohere = (model: string): boolean => /(^|[./])cohere\./.test(model);

function bedrockBody(request: RequestReader, model: string): JsonRecord {
  const texts = readInputs(request);
  const dimensions = request.get("dimensions");
  if (isCohere(model)) return present({ texts, input_type: "search_document", output_dimension: dimensions });
  // Titan accepts one text and refuses more in its own words.
  return present({ inputText: texts.length === 1 ? texts[0] : texts, dimensions });
}

export const embeddingsToBedrock: Translation = {
  target: bedrockEmbeddings,
  translateRequest: bedrockBody,
  createReplyTranslator: (call) =>
    replyOnly((json) => embeddingList(call, bedrockVectors(json) ?? [], titanTokens(json))),
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
      return embeddingList(call, vectors, vertexTokens(json) || call.promptEstimate);
    }),
};
