/** Anthropic's batches: a list of requests becomes a list of results. */

import type { ObjectApi } from "../creations/provider-objects.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { isRecord, type JsonRecord, record } from "../wire/json-parts.ts";
import { type BatchDialect, findPlausibleTime } from "./batch-dialect.ts";

export const messagesEndpoint = "/v1/messages";
export const messageBatchesPath = "/v1/messages/batches";

export const besideMessages: ObjectApi = {
  format: anthropicMessages,
  address: /\/messages$/,
  request: { messages: [{ role: "user", content: "" }], max_tokens: 1 },
};

const parseTime = (value: unknown): number =>
  (typeof value === "string" ? Date.parse(value) : 0) || 0;

function computeRequests({ request_counts }: JsonRecord): number {
  const { processing, succeeded, errored, canceled, expired } = record(request_counts);
  let sum = 0;
  for (const count of [processing, succeeded, errored, canceled, expired])
    sum += typeof count === "number" ? count : 0;
  return sum;
}

export const anthropicBatches: BatchDialect = {
  name: "anthropic",
  api: besideMessages,
  path: "messages/batches",
  formatOf: (endpoint) => (endpoint === messagesEndpoint ? anthropicMessages : undefined),
  endOf({ processing_status, cancel_initiated_at, request_counts }) {
    if (processing_status !== "ended") return undefined;
    if (cancel_initiated_at != null) return "cancelled";
    const { expired } = record(request_counts);
    return typeof expired === "number" && expired > 0 ? "expired" : "completed";
  },
  expiryOf: ({ expires_at }) => findPlausibleTime(parseTime(expires_at)),
  // Also where it names no address of them: what cannot be read costs the prompts, and not nothing.
  resultsOf: ({ id }) => [{ path: `messages/batches/${id}/results` }],
  answerIn({ result }) {
    const { type, message } = record(result);
    return type === "succeeded" && isRecord(message) ? message : undefined;
  },
  madeAt: ({ created_at }) => parseTime(created_at),
  hasTerms: (listed, { lines }) => computeRequests(listed) === lines,
  // Another user's batch may have as many requests, and nothing else of a batch is listed.
  areTermsUnique: false,
  lostCreation:
    "Its hold stays until the provider's list says; where the batch may be there, its prompts are charged",
};

/**
 * The provider's answer, with the address of the results at this gateway: libraries send their key
 * to it.
 */
export function showMessageBatch(answer: JsonRecord): JsonRecord {
  const results_url = anthropicBatches.endOf(answer)
    ? `${messageBatchesPath}/${answer.id}/results`
    : null;
  return { ...answer, results_url };
}
