/** Callers of a Gemini stream who did not ask for events: they get a JSON list with the whole answer as its one member. */
import { gemini } from "../shapes/gemini.ts";
import type { Translation } from "./translation.ts";

export const geminiAsList: Translation = {
  to: gemini,
  body: (json) => json,
  answers: () => ({
    whole: (json) => [json],
    // A list is not read event by event.
    event: () => "",
    end: () => "",
  }),
  lost: () => [],
};
