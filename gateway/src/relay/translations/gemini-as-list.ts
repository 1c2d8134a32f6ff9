/**
 * Gemini's streams without `alt=sse`: the client receives a JSON list with the whole reply as its
 * one element.
 */
import { gemini } from "../formats/gemini.ts";
import type { Translation } from "./translation.ts";

export const geminiAsList: Translation = {
  target: gemini.upstream,
  translateRequest: (request) => request.readAll(),
  createReplyTranslator: () => ({
    translateReply: (json) => [json],
    // A list is not sent event by event.
    translateEvent: () => "",
    finish: () => "",
  }),
};
