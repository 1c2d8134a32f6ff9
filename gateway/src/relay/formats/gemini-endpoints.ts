/** The addresses of Gemini's API: `/v1beta/models/{model}:{operation}`. */

import type { ClientFormat, ParsedRequest, TokenCounter } from "./api-format.ts";
import type { SentBody } from "./call-parts.ts";
import { composeOperationUrl, gemini, geminiList } from "./gemini.ts";
import { batchEmbedContents, embedContent } from "./gemini-embeddings.ts";

const operationPath = /^\/v1(?:beta)?\/models\/(.+):(\w+)$/;
const isEventStream = /[?&]alt=sse(?:&|$)/;

/**
 * The format of one call, with model and stream from the address; undefined for an operation that
 * is not offered.
 */
export function findGeminiFormat(path: string, target: string): ClientFormat | undefined {
  const [, model = "", operation = ""] = operationPath.exec(path) ?? [];
  const isStream = operation === "streamGenerateContent" && isEventStream.test(target);
  const format = findFormat(operation, isStream);
  return format && addModel(format, model, isStream);
}

/** The model that such an address names. */
export function findGeminiModel(path: string): string | undefined {
  const [, model] = operationPath.exec(path) ?? [];
  return model === undefined ? undefined : decodePathSegment(model);
}

const addModel = (format: ClientFormat, model: string, isStream: boolean): ClientFormat => ({
  ...format,
  parseRequest: (...body) => ({
    ...format.parseRequest(...body),
    model: decodePathSegment(model),
    isStream,
  }),
});

function findFormat(operation: string, isStream: boolean): ClientFormat | undefined {
  switch (operation) {
    case "generateContent":
      return gemini;
    case "streamGenerateContent":
      return isStream ? gemini : geminiList;
    case "embedContent":
      return embedContent;
    case "batchEmbedContents":
      return batchEmbedContents;
    default:
      return undefined;
  }
}

/** Counts a prompt: a list of messages, or a whole request, which names the model again. */
const countTokensFormat: ClientFormat = {
  ...gemini,
  parseRequest(json, isEstimateRough): ParsedRequest {
    const { generateContentRequest } = (json ?? {}) as { generateContentRequest?: unknown };
    return gemini.parseRequest(generateContentRequest ?? json, isEstimateRough);
  },
  upstream: {
    ...gemini.upstream,
    urlFor: (modelsUrl, _call, model) => composeOperationUrl(modelsUrl, model, "countTokens"),
    writeBody({ body }: SentBody, name: string): Buffer {
      const { generateContentRequest } = JSON.parse(body.toString("utf8")) as {
        generateContentRequest?: object;
      };
      if (!generateContentRequest) return body;
      const countedRequest = { ...generateContentRequest, model: `models/${name}` };
      return Buffer.from(JSON.stringify({ generateContentRequest: countedRequest }));
    },
  },
};

export function findGeminiCounter(path: string): TokenCounter | undefined {
  const [, model = "", operation] = operationPath.exec(path) ?? [];
  return operation === "countTokens"
    ? { format: addModel(countTokensFormat, model, false), totalField: "totalTokens" }
    : undefined;
}

export function decodePathSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
