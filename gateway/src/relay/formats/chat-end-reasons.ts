/**
 * Reasons for which an answer of chat completions ended, in the words of compatible servers. Pure.
 */
import { isRecord, type JsonRecord, text } from "../wire/json-parts.ts";
import type { ErrorInBody } from "./api-format.ts";

/** Words that mean one of OpenAI's: Mistral's, Zhipu's and Tencent's, Cohere's. */
const otherWords: Readonly<Record<string, string>> = {
  model_length: "length",
  max_tokens: "length",
  sensitive: "content_filter",
  ERROR_TOXIC: "content_filter",
};
/** Google's compatible API adds a detail: `content_filter: RECITATION`. */
const detailed = /^content_filter\b/;

/** A choice that goes on has no reason; some servers write an empty one, or the word. */
export const isEndReason = (reason: unknown): reason is string =>
  typeof reason === "string" && reason !== "" && reason !== "null";

/** `findEndReason` gives OpenAI's word; undefined for a choice that goes on. */
export function findEndReason({ finish_reason: reason }: JsonRecord): string | undefined {
  if (!isEndReason(reason)) return undefined;
  return detailed.test(reason) ? "content_filter" : (otherWords[reason] ?? reason);
}

/**
 * Words for an answer that broke off at the provider: DeepSeek's and Zhipu's, Mistral's and
 * OpenRouter's, vLLM's, those of servers in between, and those of Google's compatible API. An agent
 * would take such an answer for a finished one.
 */
const failedWords = new Set([
  ...["insufficient_system_resource", "network_error", "error", "abort", "malformed_function_call"],
  ...["failed", "server_error"],
  ...[
    "malformed_response",
    "unexpected_tool_call",
    "too_many_tool_calls",
    "missing_thought_signature",
  ],
]);
const detailedFailure = /^(?:function_call_filter|error)\b(?!_)/i;

export const isFailedEnd = (reason: string): boolean =>
  failedWords.has(reason.toLowerCase()) || detailedFailure.test(reason);

/** The failure with which a choice ended; undefined for any other. */
export function findFailedEnd({
  finish_reason: reason,
  error,
}: JsonRecord): ErrorInBody | undefined {
  if (isRecord(error)) {
    const { message, code } = error;
    const status = typeof code === "number" && code >= 400 && code < 600 ? code : brokenOffStatus;
    const named = typeof code === "number" ? code : text(code) || null;
    return { status, message: text(message) || "The provider broke the answer off", code: named };
  }
  if (typeof reason !== "string" || !isFailedEnd(reason)) return undefined;
  return {
    status: brokenOffStatus,
    message: `The provider broke the answer off: ${reason}`,
    code: null,
  };
}

/** The provider failed, and another channel may not. */
const brokenOffStatus = 502;
