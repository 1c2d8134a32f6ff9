/** AI Proxy's knowledge base: a question to a library of documents, `/api/library/ask`. */
import { type JsonRecord, text } from "../wire/json-parts.ts";
import type { ErrorInBody } from "./api-format.ts";
import { buildNativeProtocol } from "./native-protocol.ts";
import { wholeReply } from "./reply-facts.ts";

function findError({ success, errorCode, message }: JsonRecord): ErrorInBody | undefined {
  if (success !== false) return undefined;
  const code = typeof errorCode === "number" || typeof errorCode === "string" ? errorCode : null;
  return { status: 502, message: text(message) || "no reason given", code };
}

export const aiProxyAnswer = buildNativeProtocol({
  endpoint: "ai_proxy_answer",
  createReader: () => (json) =>
    typeof json.answer === "string" ? { content: json.answer, finishReason: "stop" } : undefined,
  errorIn: findError,
  replies: wholeReply,
});
