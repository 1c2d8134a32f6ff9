/** Embeddings as OpenAI's interface lists them. */

import type { RelayCall } from "../formats/api-format.ts";
import { type JsonRecord, parsedObject } from "../wire/json-parts.ts";
import { type SupportedFields, wholeFields } from "./supported-fields.ts";
import type { ReplyTranslator } from "./translation.ts";

/** The texts that were sent, where there may be one or many. */
export const textsIn = (input: unknown): unknown[] => (Array.isArray(input) ? input : [input]);

/** `promptTokens` is the provider's own count, where it gives one. */
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

/** Little-endian floats of four bytes, as OpenAI's libraries ask for them. */
const base64Of = (numbers: readonly number[]): string =>
  Buffer.from(Float32Array.from(numbers).buffer).toString("base64");

/** For answers that are never streamed. */
export const replyOnly = (read: (json: JsonRecord) => unknown): ReplyTranslator => ({
  translateReply: read,
  translateEvent: () => "",
  finish: () => "",
});

/** Providers that embed texts alone, as long as they come. */
export const supportedEmbeddingFields: SupportedFields = {
  ...wholeFields("model", "encoding_format"),
  input: (value) => typeof value === "string",
};
