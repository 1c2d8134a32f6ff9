/** Errors in OpenAI's format: for all formats of that family, and for requests without a format. */
import { refusalBody } from "../wire/relay-refusal.ts";
import type { ErrorFormat } from "./api-format.ts";

export const doneEvent = "data: [DONE]\n\n";

export const openAiErrors: ErrorFormat = {
  errorBody: refusalBody,
  streamError: (refusal, requestId) => `data: ${refusalBody({ code: null, ...refusal }, requestId)}\n\n${doneEvent}`,
};
