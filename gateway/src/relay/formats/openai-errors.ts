/** Errors as OpenAI's interfaces word them: for all shapes of that family, and for whatever has no shape of its own. */
import { refusalBody } from "../wire/relay-refusal.ts";
import type { ErrorFormat } from "./api-format.ts";

export const doneEvent = "data: [DONE]\n\n";

export const openAiErrors: ErrorFormat = {
  errorBody: refusalBody,
  streamError: (refusal, requestId) => `data: ${refusalBody({ code: null, ...refusal }, requestId)}\n\n${doneEvent}`,
};
