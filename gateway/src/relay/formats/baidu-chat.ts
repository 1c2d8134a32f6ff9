/**
 * Baidu's first API for chats and embeddings, below `/rpc/2.0/ai_custom/v1/wenxinworkshop`. Errors
 * have status 200, and some of them report that the access token ended early.
 */
import { isRecord, type JsonRecord, text } from "../wire/json-parts.ts";
import type { ErrorInBody } from "./api-format.ts";
import { buildNativeProtocol, type ReplyDelta } from "./native-protocol.ts";
import { parseOpenAiUsage } from "./usage/openai-usage.ts";

const finishReasons: Readonly<Record<string, string>> = {
  length: "length",
  content_filter: "content_filter",
};

function findFinishReason({
  is_end,
  is_truncated,
  finish_reason,
  function_call,
}: JsonRecord): string | undefined {
  if (is_end === false) return undefined;
  if (isRecord(function_call)) return "tool_calls";
  return is_truncated === true ? "length" : (finishReasons[text(finish_reason)] ?? "stop");
}

function readDelta(json: JsonRecord): ReplyDelta | undefined {
  const { id, result, function_call } = json;
  if (typeof result !== "string" && !isRecord(function_call)) return undefined;
  const call = isRecord(function_call)
    ? { name: text(function_call.name), arguments: text(function_call.arguments) }
    : null;
  return {
    id: text(id),
    content: text(result),
    toolCalls: call ? [{ index: 0, function: call }] : undefined,
    finishReason: findFinishReason(json),
    usage: parseOpenAiUsage(json.usage),
  };
}

/**
 * HTTP statuses for Baidu's error codes; all others are a mistake in the request or Baidu's own
 * error.
 */
const statuses: Readonly<Record<number, number>> = {
  2: 503,
  3: 404,
  4: 429,
  6: 403,
  13: 401,
  14: 401,
  17: 429,
  18: 429,
  19: 429,
  100: 401,
  110: 401,
  111: 401,
  336000: 500,
  336004: 401,
  336005: 404,
  336100: 503,
  336501: 429,
  336502: 429,
};

const firstModelErrorCode = 336_000;

function findError({ error_code, error_msg }: JsonRecord): ErrorInBody | undefined {
  if (typeof error_code !== "number" || error_code === 0) return undefined;
  const status =
    statuses[error_code] ?? (error_code > firstModelErrorCode && error_code < 500_000 ? 400 : 500);
  return { status, message: text(error_msg) || "no reason given", code: error_code };
}

export const baiduChat = buildNativeProtocol({
  endpoint: "baidu_chat",
  createReader: () => readDelta,
  errorIn: findError,
  withSystemPrompt: (body, system) => ({ ...body, system }),
});

export const baiduEmbeddings = buildNativeProtocol({
  endpoint: "baidu_embeddings",
  createReader: () => (json) =>
    Array.isArray(json.data)
      ? { usage: parseOpenAiUsage(json.usage), vectorCount: json.data.length }
      : undefined,
  errorIn: findError,
});
