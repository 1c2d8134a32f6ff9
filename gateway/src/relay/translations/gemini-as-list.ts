/** Callers of a Gemini stream who did not ask for events: they get a JSON list with the whole answer as its one member. */
import { gemini } from "../formats/gemini.ts";
import type { Translation } from "./translation.ts";

export const geminiAsList: Translation = {
  target: gemini.upstream,
  translateRequest: (request) => request.readAll(),
  createReplyTranslator: () => ({
    translateReply: (json) => [json],
    // A list is not read event by event.
    translateEvent: () => "",
    finish: () => "",
  }),
};
