/** Embeddings by the interfaces of models at Bedrock and Vertex, which providers alone speak. */
import { noUsage } from "../../money/price.ts";
import { type Json, record, records } from "../json-parts.ts";
import { type ReadUsage, tokenCount } from "../usage.ts";
import { ownShape } from "./own-shape.ts";

const read = (tokens: number | undefined): ReadUsage | undefined =>
  tokens ? { usage: { ...noUsage, input: tokens }, hidden: 0, isFlagged: false } : undefined;

/** Titan counts tokens in its answer, Cohere's models do not. */
export const titanTokens = ({ inputTextTokenCount }: Json): number | undefined => tokenCount(inputTextTokenCount);

/** One vector by Titan, a list by Cohere's models, or lists by their kinds. */
export const bedrockVectors = ({ embedding, embeddings }: Json): readonly unknown[] | undefined => {
  if (Array.isArray(embedding)) return [embedding];
  const vectors = Array.isArray(embeddings) ? embeddings : record(embeddings).float;
  return Array.isArray(vectors) ? vectors : undefined;
};

export const bedrockEmbeddings = ownShape({
  entry: "bedrock_embeddings",
  reader: () => (json) => (bedrockVectors(json) ? { usage: read(titanTokens(json)) } : undefined),
});

/** Of all texts together. */
export function vertexTokens({ predictions }: Json): number {
  const counts = records(predictions).map(({ embeddings }) => record(record(embeddings).statistics).token_count);
  return counts.reduce((sum: number, count) => sum + (tokenCount(count) ?? 0), 0);
}

export const vertexEmbeddings = ownShape({
  entry: "vertex_embeddings",
  reader: () => (json) => (Array.isArray(json.predictions) ? { usage: read(vertexTokens(json)) } : undefined),
});
