/** Embeddings in OpenAI's format. */

import type { RelayCall } from "../formats/api-format.ts";
import { type JsonRecord, parsedObject } from "../wire/json-parts.ts";
import type { RequestReader } from "./request-reader.ts";
import type { ReplyTranslator } from "./translation.ts";

/**
 * The inputs of a request, one or many. These providers embed texts alone: inputs that are given as tokens are reported
 * as dropped. The translation of the reply encodes the vectors.
 */
export function readInputs(request: RequestReader): unknown[] {
  request.read("model", "encoding_format");
  const { input } = request.json;
  const inputs = Array.isArray(input) ? input : [input];
  if (inputs.flat(Number.POSITIVE_INFINITY).every(isText)) request.read("input");
  return inputs;
}

const isText = (value: unknown): boolean => typeof value === "string";

/** `promptTokens` is the count that the provider reports, if any. */
export function embeddingList(
  call: RelayCall,
  vectors: readonly unknown[],
  promptTokens = call.promptEstimate,
): JsonRecord {
  const isBase64 = parsedObject(call.body.toString("utf8")).encoding_format === "base64";
  const data = vectors.map((vector, index) => {
    const numbers = Array.isArray(vector) ? vector.map(Number) : [];
    return { object: "embedding", index, embedding: isBase64 ? base64Of(numbers) : numbers };
  });
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
  return { object: "list", data, model: call.model, usage };
}

/** Little-endian floats of four bytes, as OpenAI's libraries request them. */
const base64Of = (numbers: readonly number[]): string =>
  Buffer.from(Float32Array.from(numbers).buffer).toString("base64");

/** For replies that are never streamed. */
export const replyOnly = (read: (json: JsonRecord) => unknown): ReplyTranslator => ({
  translateReply: read,
  translateEvent: () => "",
  finish: () => "",
});
