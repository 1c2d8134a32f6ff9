/**
 * Requests of chat completions for a bot on Coze. Its prompt, knowledge and tools are configured at
 * Coze.
 */

import { cozeChat, formatCozeMessage } from "../formats/coze-chat.ts";
import { type JsonRecord, present } from "../wire/json-parts.ts";
import { readCallFields } from "./chat-request.ts";
import { NativeAsChat } from "./native-as-chat.ts";
import { readText } from "./plain-messages.ts";
import type { FieldReader } from "./request-reader.ts";
import type { Translation } from "./translation.ts";

const botPrefix = /^bot-/;

function translateRequest(request: FieldReader, model: string): JsonRecord {
  readCallFields(request);
  request.allow("n", 1);
  const user = request.get("user");
  return present({
    bot_id: model.replace(botPrefix, ""),
    user_id: typeof user === "string" && user !== "" ? user : undefined,
    // A whole reply would have to be polled for.
    stream: true,
    auto_save_history: false,
    additional_messages: request
      .objects("messages")
      .map((message) =>
        formatCozeMessage(
          message.get("role") === "assistant" ? "assistant" : "user",
          readText(message),
        ),
      ),
  });
}

export const chatToCoze: Translation = {
  target: cozeChat,
  lacksTools: true,
  translateRequest,
  createReplyTranslator: (call) => new NativeAsChat(call, cozeChat),
};
