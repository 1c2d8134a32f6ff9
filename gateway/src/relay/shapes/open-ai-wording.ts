/** Errors as OpenAI's interfaces word them: for all shapes of that family, and for whatever has no shape of its own. */
import { refusalBody } from "../relay-refusal.ts";
import type { Wording } from "./shape.ts";

export const doneEvent = "data: [DONE]\n\n";

export const openAiWording: Wording = {
  body: refusalBody,
  streamEnd: (refusal, requestId) => `data: ${refusalBody({ code: null, ...refusal }, requestId)}\n\n${doneEvent}`,
};
