/** Embeddings of Gemini's API, one or many at once. */

import { isRecord, records } from "../wire/json-parts.ts";
import type { ClientFormat } from "./api-format.ts";
import type { PlainRequest, SentBody } from "./call-parts.ts";
import { composeOperationUrl } from "./gemini.ts";
import { geminiErrors } from "./gemini-errors.ts";
import { estimatePromptTokens } from "./hold-size/token-estimate.ts";
import { streamOrJson } from "./reply-facts.ts";
import { listField, objectField, parseBody, type RequestField } from "./request-fields.ts";
import { parseGeminiUsage } from "./usage/gemini-usage.ts";

const textsMax = 10_000;

const singleRequest = objectField({ content: objectField({}) });
const batchRequest = objectField({ requests: listField(singleRequest, 1, textsMax) });

/** Every text names the model again: it must be the model that is charged. */
function writeBody({ body }: SentBody, name: string): Buffer {
  const model = `models/${name}`;
  const { requests, ...otherFields } = JSON.parse(body.toString("utf8")) as { requests?: object[] };
  const withModels = requests
    ? { requests: requests.map((text) => ({ ...text, model })) }
    : { model };
  return Buffer.from(JSON.stringify({ ...otherFields, ...withModels }));
}

const isVector = (value: unknown): boolean =>
  isRecord(value) && !(Array.isArray(value.values) && value.values.length === 0);

const countVectors = (value: unknown): number =>
  (Array.isArray(value) ? value : [value]).filter(isVector).length;

function buildEmbeddingsFormat(
  operation: string,
  request: RequestField<object>,
  replyField: string,
): ClientFormat {
  return {
    endpoint: "gemini_embeddings",
    parseRequest(json, isEstimateRough): PlainRequest {
      const withModels = parseBody(request, json, "invalid_gemini_request");
      return {
        model: "",
        isStream: false,
        wantsUsage: true,
        streamOptions: {},
        maxOutputTokens: 0,
        choiceCount: 1,
        promptEstimate: estimatePromptTokens([{ content: withModels }], {}, isEstimateRough),
        vectorCount: "requests" in withModels ? records(withModels.requests).length : 1,
      };
    },
    passedHeaders: [],
    errorFormat: geminiErrors,
    upstream: {
      endpoint: "gemini_embeddings",
      writeBody,
      urlFor: (modelsUrl, _call, model) => composeOperationUrl(modelsUrl, model, operation),
      replies: streamOrJson,
      modelField: "modelVersion",
      readReply(json) {
        const vectorCount = countVectors(json[replyField]);
        // No vector at all is no answer, and another channel may give one.
        if (vectorCount === 0) return undefined;
        return { usage: parseGeminiUsage(json.usageMetadata), text: "", vectorCount };
      },
      createEventReader: () => () => ({ kind: "other", textBytes: 0 }),
      terminator: "",
    },
  };
}

export const embedContent = buildEmbeddingsFormat("embedContent", singleRequest, "embedding");
export const batchEmbedContents = buildEmbeddingsFormat(
  "batchEmbedContents",
  batchRequest,
  "embeddings",
);
