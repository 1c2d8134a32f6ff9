/** Embeddings by the APIs of models at Bedrock and Vertex, which no client speaks. */
import { noUsage } from "../../money/prices/price.ts";
import { type JsonRecord, record, records } from "../wire/json-parts.ts";
import { buildNativeProtocol } from "./native-protocol.ts";
import { findTokenCount, type ReportedUsage } from "./usage/reported-usage.ts";

const findInputUsage = (tokens: number | undefined): ReportedUsage | undefined =>
  tokens
    ? { usage: { ...noUsage, input: tokens }, hiddenOutput: 0, isCorrected: false }
    : undefined;

/** Titan reports tokens in its reply, Cohere's models do not. */
export const findTitanTokens = ({ inputTextTokenCount }: JsonRecord): number | undefined =>
  findTokenCount(inputTextTokenCount);

/**
 * `findBedrockVectors` gives one vector from Titan; from Cohere's models a list, or lists by number
 * type.
 */
export const findBedrockVectors = ({
  embedding,
  embeddings,
}: JsonRecord): readonly unknown[] | undefined => {
  if (Array.isArray(embedding)) return [embedding];
  const vectors = Array.isArray(embeddings) ? embeddings : record(embeddings).float;
  return Array.isArray(vectors) ? vectors : undefined;
};

export const bedrockEmbeddings = buildNativeProtocol({
  endpoint: "bedrock_embeddings",
  createReader: () => (json) => {
    const vectorCount = findBedrockVectors(json)?.length;
    return vectorCount === undefined
      ? undefined
      : { usage: findInputUsage(findTitanTokens(json)), vectorCount };
  },
});

/** The tokens of all texts together. */
export function computeVertexTokens({ predictions }: JsonRecord): number {
  const counts = records(predictions).map(
    ({ embeddings }) => record(record(embeddings).statistics).token_count,
  );
  return counts.reduce((sum: number, count) => sum + (findTokenCount(count) ?? 0), 0);
}

export const vertexEmbeddings = buildNativeProtocol({
  endpoint: "vertex_embeddings",
  createReader: () => (json) =>
    Array.isArray(json.predictions)
      ? {
          usage: findInputUsage(computeVertexTokens(json)),
          vectorCount: json.predictions.length,
        }
      : undefined,
});
