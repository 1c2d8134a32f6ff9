/** Callers of chat completions, served by DeepL: the last thing the user said, in the language that the model names. */

import { deeplTranslation, targetLanguage } from "../formats/deepl-translation.ts";
import { estimatedUsage } from "../formats/token-estimate.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { NativeAsChat } from "./native-as-chat.ts";
import { lastUserText } from "./plain-messages.ts";
import { byType, droppedFieldsOf, onlyValues, type SupportedFields, wholeFields } from "./supported-fields.ts";
import type { Translation } from "./translation.ts";

const supportedFields: SupportedFields = {
  ...wholeFields("model", "stream"),
  stream_options: { include_usage: true },
  store: onlyValues(false),
  logprobs: onlyValues(false),
  n: onlyValues(1),
  messages: { role: true, content: byType({ text: wholeFields("text") }) },
};

export const chatToDeepl: Translation = {
  target: deeplTranslation,
  translateRequest: (json: JsonRecord, model) => ({
    text: [lastUserText(json.messages)],
    target_lang: targetLanguage(model),
  }),
  createReplyTranslator: (call) =>
    new NativeAsChat(call, deeplTranslation, (answer) => estimatedUsage(call.promptEstimate, answer)),
  droppedFields: (json) => droppedFieldsOf(json, supportedFields),
};
