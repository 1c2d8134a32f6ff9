/** Errors in OpenAI's format: for all formats of that family, and for requests without a format. */
import { buildRefusalError, type RelayRefusal } from "../wire/relay-refusal.ts";
import type { ErrorFormat } from "./api-format.ts";
import { nameOpenAiType, writeContextWords } from "./error-words.ts";

export const doneEvent = "data: [DONE]\n\n";

/** The member `error`; every one of a stream has a code. */
export function openAiError(
  refusal: RelayRefusal,
  requestId: string,
  isInStream: boolean,
  dialect: "chat" | "responses" = "chat",
) {
  const message = writeContextWords(refusal, dialect);
  const coded = { ...(isInStream && { code: null }), ...refusal, message };
  const told = refusal.isContextTooLong
    ? { ...coded, code: contextCode, param: refusal.param ?? "" }
    : coded;
  return buildRefusalError(told, nameOpenAiType(refusal, isInStream), requestId);
}

/** Codex shortens its conversation at this code. */
const contextCode = "context_length_exceeded";

export const openAiErrors: ErrorFormat = {
  errorBody: (refusal, requestId) =>
    JSON.stringify({ error: openAiError(refusal, requestId, false) }),
  streamError: (refusal, requestId) =>
    `data: ${JSON.stringify({ error: openAiError(refusal, requestId, true) })}\n\n${doneEvent}`,
};
