/** Callers of chat completions, served by a bot on Coze. What the bot is told, knows and may do is set up there. */

import { cozeChat, cozeMessage } from "../formats/coze-chat.ts";
import { type JsonRecord, present, records } from "../wire/json-parts.ts";
import { NativeAsChat } from "./native-as-chat.ts";
import { plainText } from "./plain-messages.ts";
import { byType, droppedFieldsOf, onlyValues, type SupportedFields, wholeFields } from "./supported-fields.ts";
import type { Translation } from "./translation.ts";

const botPrefix = /^bot-/;

function body(json: JsonRecord, model: string): JsonRecord {
  return present({
    bot_id: model.replace(botPrefix, ""),
    user_id: typeof json.user === "string" && json.user !== "" ? json.user : undefined,
    // A whole answer would have to be asked for again and again.
    stream: true,
    auto_save_history: false,
    additional_messages: records(json.messages).map(({ role, content }) =>
      cozeMessage(role === "assistant" ? "assistant" : "user", plainText(content)),
    ),
  });
}

const supportedFields: SupportedFields = {
  ...wholeFields("model", "stream", "user"),
  stream_options: { include_usage: true },
  store: onlyValues(false),
  logprobs: onlyValues(false),
  n: onlyValues(1),
  messages: { role: true, content: byType({ text: wholeFields("text"), refusal: wholeFields("refusal") }) },
};

export const chatToCoze: Translation = {
  target: cozeChat,
  translateRequest: body,
  createReplyTranslator: (call) => new NativeAsChat(call, cozeChat),
  droppedFields: (json) => droppedFieldsOf(json, supportedFields),
};
