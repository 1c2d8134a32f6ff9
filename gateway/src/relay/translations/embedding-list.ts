/** Embeddings in OpenAI's format. */

import type { AskedModel, AskedSize, SentBody } from "../formats/call-parts.ts";
import { type JsonRecord, parseObject } from "../wire/json-parts.ts";
import type { FieldReader } from "./request-reader.ts";
import type { ReplyTranslator } from "./translation.ts";

/**
 * The inputs of a request, one or many. These providers embed texts alone: inputs that are given as
 * tokens are reported as dropped. The translation of the reply encodes the vectors.
 */
export function readInputs(request: FieldReader): unknown[] {
  request.read("model", "encoding_format");
  const { input } = request.json;
  const inputs = Array.isArray(input) ? input : [input];
  if (inputs.flat(Number.POSITIVE_INFINITY).every(isText)) request.read("input");
  return inputs;
}

const isText = (value: unknown): boolean => typeof value === "string";

/** `promptTokens` is the count that the provider reports, if any. */
export function buildEmbeddingList(
  call: AskedModel & AskedSize & SentBody,
  vectors: readonly unknown[],
  promptTokens = call.promptEstimate,
): JsonRecord {
  const isBase64 = parseObject(call.body.toString("utf8")).encoding_format === "base64";
  const data = vectors.map((vector, index) => {
    const numbers = Array.isArray(vector) ? vector.map(Number) : [];
    return { object: "embedding", index, embedding: isBase64 ? readBase64(numbers) : numbers };
  });
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
  return { object: "list", data, model: call.model, usage };
}

/** Little-endian floats of four bytes, as OpenAI's libraries request them. */
const readBase64 = (numbers: readonly number[]): string =>
  Buffer.from(Float32Array.from(numbers).buffer).toString("base64");

/** `replyOnly` is for replies that are never streamed. */
export const replyOnly = (read: (json: JsonRecord) => unknown): ReplyTranslator => ({
  translateReply: read,
  translateEvent: () => "",
  finish: () => "",
});
