/**
 * Requests of chat completions for DeepL: the user's last message, in the language that the model
 * names.
 */

import { deeplTranslation, findTargetLanguage } from "../formats/deepl-translation.ts";
import { estimateUsage } from "../formats/hold-size/token-estimate.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { readCallFields } from "./chat-request.ts";
import { NativeAsChat } from "./native-as-chat.ts";
import { readLastUserText } from "./plain-messages.ts";
import type { FieldReader } from "./request-reader.ts";
import type { Translation } from "./translation.ts";

function translateRequest(request: FieldReader, model: string): JsonRecord {
  readCallFields(request);
  request.allow("n", 1);
  return { text: [readLastUserText(request)], target_lang: findTargetLanguage(model) };
}

export const chatToDeepl: Translation = {
  target: deeplTranslation,
  lacksTools: true,
  translateRequest,
  createReplyTranslator: (call) =>
    new NativeAsChat(call, deeplTranslation, (answer) =>
      estimateUsage(call.promptEstimate, answer),
    ),
};
