/** Callers of embeddings, served by models at Bedrock and Vertex. */

import {
  bedrockEmbeddings,
  bedrockVectors,
  titanTokens,
  vertexEmbeddings,
  vertexTokens,
} from "../formats/cloud-embeddings.ts";
import { type JsonRecord, present, record, records } from "../wire/json-parts.ts";
import { embeddingList, replyOnly, supportedEmbeddingFields, textsIn } from "./embedding-list.ts";
import { droppedFieldsOf } from "./supported-fields.ts";
import type { Translation } from "./translation.ts";

const isCohere = (model: string): boolean => /(^|[./])cohere\./.test(model);

function bedrockBody({ input, dimensions }: JsonRecord, model: string): JsonRecord {
  const texts = textsIn(input);
  if (isCohere(model)) return present({ texts, input_type: "search_document", output_dimension: dimensions });
  // Titan takes one text: more than one is for it to refuse, in its own words.
  return present({ inputText: texts.length === 1 ? texts[0] : texts, dimensions });
}

export const embeddingsToBedrock: Translation = {
  target: bedrockEmbeddings,
  translateRequest: bedrockBody,
  createReplyTranslator: (call) =>
    replyOnly((json) => embeddingList(call, bedrockVectors(json) ?? [], titanTokens(json))),
  droppedFields: (json) => droppedFieldsOf(json, { ...supportedEmbeddingFields, dimensions: true }),
};

export const embeddingsToVertex: Translation = {
  target: vertexEmbeddings,
  translateRequest: ({ input, dimensions }) => ({
    instances: textsIn(input).map((content) => ({ content })),
    parameters: present({ outputDimensionality: dimensions }),
  }),
  createReplyTranslator: (call) =>
    replyOnly((json) => {
      const vectors = records(json.predictions).map(({ embeddings }) => record(embeddings).values);
      return embeddingList(call, vectors, vertexTokens(json) || call.promptEstimate);
    }),
  droppedFields: (json) => droppedFieldsOf(json, { ...supportedEmbeddingFields, dimensions: true }),
};
