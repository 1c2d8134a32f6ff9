/** Callers of chat completions, served by DeepL: the last thing the user said, in the language that the model names. */
import { estimatedUsage } from "../estimate.ts";
import type { Json } from "../json-parts.ts";
import { deeplTranslation, targetLanguage } from "../shapes/deepl-translation.ts";
import { byType, type KeptMembers, lostOf, only, whole } from "./kept.ts";
import { lastQuestion } from "./plain-turns.ts";
import { SaidAsChat } from "./said-as-chat.ts";
import type { Translation } from "./translation.ts";

const kept: KeptMembers = {
  ...whole("model", "stream"),
  stream_options: { include_usage: true },
  store: only(false),
  logprobs: only(false),
  n: only(1),
  messages: { role: true, content: byType({ text: whole("text") }) },
};

export const chatToDeepl: Translation = {
  to: deeplTranslation,
  body: (json: Json, model) => ({ text: [lastQuestion(json.messages)], target_lang: targetLanguage(model) }),
  answers: (call) => new SaidAsChat(call, deeplTranslation, (answer) => estimatedUsage(call.promptEstimate, answer)),
  lost: (json) => lostOf(json, kept),
};
