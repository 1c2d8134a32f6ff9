/** Callers of chat completions, served by a bot on Coze. What the bot is told, knows and may do is set up there. */
import { type Json, present, records } from "../json-parts.ts";
import { cozeChat, cozeMessage } from "../shapes/coze-chat.ts";
import { byType, type KeptMembers, lostOf, only, whole } from "./kept.ts";
import { plainText } from "./plain-turns.ts";
import { SaidAsChat } from "./said-as-chat.ts";
import type { Translation } from "./translation.ts";

const botPrefix = /^bot-/;

function body(json: Json, model: string): Json {
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

const kept: KeptMembers = {
  ...whole("model", "stream", "user"),
  stream_options: { include_usage: true },
  store: only(false),
  logprobs: only(false),
  n: only(1),
  messages: { role: true, content: byType({ text: whole("text"), refusal: whole("refusal") }) },
};

export const chatToCoze: Translation = {
  to: cozeChat,
  body,
  answers: (call) => new SaidAsChat(call, cozeChat),
  lost: (json) => lostOf(json, kept),
};
