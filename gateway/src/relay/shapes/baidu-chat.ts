/**
 * Baidu's first interface for chats and embeddings, below `/rpc/2.0/ai_custom/v1/wenxinworkshop`. Errors come with
 * status 200, and some of them say that the access token has ended before its time.
 */
import { isRecord, type Json, text } from "../json-parts.ts";
import { usageFrom } from "./open-ai-usage.ts";
import { ownShape, type Said } from "./own-shape.ts";
import type { Failure } from "./shape.ts";

const reasons: Readonly<Record<string, string>> = { length: "length", content_filter: "content_filter" };

function finishOf({ is_end, is_truncated, finish_reason, function_call }: Json): string | undefined {
  if (is_end === false) return undefined;
  if (isRecord(function_call)) return "tool_calls";
  return is_truncated === true ? "length" : (reasons[text(finish_reason)] ?? "stop");
}

function said(json: Json): Said | undefined {
  const { id, result, function_call } = json;
  if (typeof result !== "string" && !isRecord(function_call)) return undefined;
  const call = isRecord(function_call)
    ? { name: text(function_call.name), arguments: text(function_call.arguments) }
    : null;
  return {
    id: text(id),
    content: text(result),
    toolCalls: call ? [{ index: 0, function: call }] : undefined,
    finish: finishOf(json),
    usage: usageFrom(json.usage),
  };
}

/** What HTTP would have said, by Baidu's table of error codes; all others are the caller's mistake or Baidu's own. */
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

const firstOfModels = 336_000;

function failure({ error_code, error_msg }: Json): Failure | undefined {
  if (typeof error_code !== "number" || error_code === 0) return undefined;
  const status = statuses[error_code] ?? (error_code > firstOfModels && error_code < 500_000 ? 400 : 500);
  return { status, message: text(error_msg) || "no reason given", code: error_code };
}

export const baiduChat = ownShape({
  entry: "baidu_chat",
  reader: () => said,
  failure,
  withPrompt: (body, system) => ({ ...body, system }),
});

export const baiduEmbeddings = ownShape({
  entry: "baidu_embeddings",
  reader: () => (json) => (Array.isArray(json.data) ? { usage: usageFrom(json.usage) } : undefined),
  failure,
});
