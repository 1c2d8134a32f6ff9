/** Callers of embeddings, served by a channel that speaks Gemini's own interface. */

import type { Json } from "../json-parts.ts";
import { parsedObject, present, records, text } from "../json-parts.ts";
import { batchEmbedContents } from "../shapes/gemini-embeddings.ts";
import { geminiUsage } from "../shapes/gemini-usage.ts";
import type { Call } from "../shapes/shape.ts";
import { promptTokens } from "../usage.ts";
import type { Translation } from "./translation.ts";

function body({ input, dimensions }: Json): Json {
  const texts: unknown[] = Array.isArray(input) ? input : [input];
  const requests = texts.map((said) => {
    return present({ content: { parts: [{ text: text(said) }] }, outputDimensionality: dimensions });
  });
  return { requests };
}

function whole(call: Call, { embeddings, usageMetadata }: Json): Json {
  const isBase64 = parsedObject(call.body.toString("utf8")).encoding_format === "base64";
  const data = records(embeddings).map(({ values }, index) => {
    const numbers = Array.isArray(values) ? values.map(Number) : [];
    return { object: "embedding", index, embedding: isBase64 ? base64Of(numbers) : numbers };
  });
  const read = geminiUsage(usageMetadata);
  const prompt_tokens = read ? promptTokens(read.usage) : call.promptEstimate;
  return { object: "list", data, model: call.model, usage: { prompt_tokens, total_tokens: prompt_tokens } };
}

/** Little-endian floats of four bytes, as OpenAI's libraries ask for them. */
const base64Of = (numbers: readonly number[]): string =>
  Buffer.from(Float32Array.from(numbers).buffer).toString("base64");

export const embeddingsToGemini: Translation = {
  to: batchEmbedContents,
  body,
  answers: (call) => ({
    whole: (json) => whole(call, json),
    // Embeddings are not streamed.
    event: () => "",
    end: () => "",
  }),
};
