/**
 * Responses over a WebSocket: the client sends one message for each turn, and the events of the
 * answer are messages too. https://developers.openai.com/api/docs/guides/websocket-mode
 */
import type { RelayRefusal } from "../wire/relay-refusal.ts";
import type { ClientFormat } from "./api-format.ts";
import { openAiError } from "./openai-errors.ts";
import { responses } from "./responses.ts";

/** An error as a message, with the status that HTTP would have had. */
export function formatErrorMessage(refusal: RelayRefusal, requestId: string): string {
  const error = openAiError(refusal, requestId, true, "responses");
  const { status, retryAfter } = refusal;
  const headers =
    retryAfter === undefined ? {} : { headers: { "retry-after": String(retryAfter) } };
  return JSON.stringify({ type: "error", status, error: { ...error, ...headers } });
}

export const responsesOverSocket: ClientFormat = {
  ...responses,
  // The beta header of the handshake is about the socket, and providers are called by HTTP.
  passedHeaders: [],
  errorFormat: {
    errorBody: formatErrorMessage,
    streamError: (refusal, requestId) => `data: ${formatErrorMessage(refusal, requestId)}\n\n`,
  },
};
