/** AI Proxy's knowledge base: a question to a library of documents, `/api/library/ask`. */
import { type Json, text } from "../json-parts.ts";
import { ownShape } from "./own-shape.ts";
import type { Failure } from "./shape.ts";

function failure({ success, errorCode, message }: Json): Failure | undefined {
  if (success !== false) return undefined;
  const code = typeof errorCode === "number" || typeof errorCode === "string" ? errorCode : null;
  return { status: 502, message: text(message) || "no reason given", code };
}

export const aiProxyAnswer = ownShape({
  entry: "ai_proxy_answer",
  reader: () => (json) => (typeof json.answer === "string" ? { content: json.answer, finish: "stop" } : undefined),
  failure,
  isOneEvent: true,
});
