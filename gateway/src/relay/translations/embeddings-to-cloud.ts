/** Callers of embeddings, served by models at Bedrock and Vertex. */
import { type Json, present, record, records } from "../json-parts.ts";
import {
  bedrockEmbeddings,
  bedrockVectors,
  titanTokens,
  vertexEmbeddings,
  vertexTokens,
} from "../shapes/cloud-embeddings.ts";
import { embeddingList, keptOfEmbeddings, textsIn, wholeOnly } from "./embedding-list.ts";
import { lostOf } from "./kept.ts";
import type { Translation } from "./translation.ts";

const isCohere = (model: string): boolean => /(^|[./])cohere\./.test(model);

function bedrockBody({ input, dimensions }: Json, model: string): Json {
  const texts = textsIn(input);
  if (isCohere(model)) return present({ texts, input_type: "search_document", output_dimension: dimensions });
  // Titan takes one text: more than one is for it to refuse, in its own words.
  return present({ inputText: texts.length === 1 ? texts[0] : texts, dimensions });
}

export const embeddingsToBedrock: Translation = {
  to: bedrockEmbeddings,
  body: bedrockBody,
  answers: (call) => wholeOnly((json) => embeddingList(call, bedrockVectors(json) ?? [], titanTokens(json))),
  lost: (json) => lostOf(json, { ...keptOfEmbeddings, dimensions: true }),
};

export const embeddingsToVertex: Translation = {
  to: vertexEmbeddings,
  body: ({ input, dimensions }) => ({
    instances: textsIn(input).map((content) => ({ content })),
    parameters: present({ outputDimensionality: dimensions }),
  }),
  answers: (call) =>
    wholeOnly((json) => {
      const vectors = records(json.predictions).map(({ embeddings }) => record(embeddings).values);
      return embeddingList(call, vectors, vertexTokens(json) || call.promptEstimate);
    }),
  lost: (json) => lostOf(json, { ...keptOfEmbeddings, dimensions: true }),
};
