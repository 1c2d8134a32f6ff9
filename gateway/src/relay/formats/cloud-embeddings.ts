/** Embeddings by the APIs of models at Bedrock and Vertex, which no client speaks. */
import { noUsage } from "../../money/price.ts";
import { type JsonRecord, record, records } from "../wire/json-parts.ts";
import { nativeProtocol } from "./native-protocol.ts";
import { type ReportedUsage, tokenCount } from "./reported-usage.ts";

const inputUsage = (tokens: number | undefined): ReportedUsage | undefined =>
  tokens ? { usage: { ...noUsage, input: tokens }, hiddenOutput: 0, isCorrected: false } : undefined;

/** Titan reports tokens in its reply, Cohere's models do not. */
export const titanTokens = ({ inputTextTokenCount }: JsonRecord): number | undefined => tokenCount(inputTextTokenCount);

/** One vector from Titan; from Cohere's models a list, or lists by number type. */
export const bedrockVectors = ({ embedding, embeddings }: JsonRecord): readonly unknown[] | undefined => {
  if (Array.isArray(embedding)) return [embedding];
  const vectors = Array.isArray(embeddings) ? embeddings : record(embeddings).float;
  return Array.isArray(vectors) ? vectors : undefined;
};

export const bedrockEmbeddings = nativeProtocol({
  endpoint: "bedrock_embeddings",
  createReader: () => (json) => (bedrockVectors(json) ? { usage: inputUsage(titanTokens(json)) } : undefined),
});

/** The tokens of all texts together. */
export function vertexTokens({ predictions }: JsonRecord): number {
  const counts = records(predictions).map(({ embeddings }) => record(record(embeddings).statistics).token_count);
  return counts.reduce((sum: number, count) => sum + (tokenCount(count) ?? 0), 0);
}

export const vertexEmbeddings = nativeProtocol({
  endpoint: "vertex_embeddings",
  createReader: () => (json) =>
    Array.isArray(json.predictions) ? { usage: inputUsage(vertexTokens(json)) } : undefined,
});
