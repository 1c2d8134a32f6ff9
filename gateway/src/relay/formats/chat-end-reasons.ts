/** Why an answer of chat completions ended, in the words of compatible servers. Pure. */
import type { JsonRecord } from "../wire/json-parts.ts";

/** Words that mean one of OpenAI's: Mistral's, Zhipu's and Tencent's, Cohere's. */
const otherWords: Readonly<Record<string, string>> = {
  model_length: "length",
  max_tokens: "length",
  sensitive: "content_filter",
};
/** Google's compatible API adds a detail: `content_filter: RECITATION`. */
const detailed = /^content_filter\b/;

/** A choice that goes on has no reason; some servers write an empty one, or the word. */
export const isEndReason = (reason: unknown): reason is string =>
  typeof reason === "string" && reason !== "" && reason !== "null";

/** In OpenAI's words; undefined for a choice that goes on. */
export function endReasonIn({ finish_reason: reason }: JsonRecord): string | undefined {
  if (!isEndReason(reason)) return undefined;
  return detailed.test(reason) ? "content_filter" : (otherWords[reason] ?? reason);
}
