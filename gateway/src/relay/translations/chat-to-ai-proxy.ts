/** Callers of chat completions, served by AI Proxy's knowledge base: the last thing the user said is the question. */

import { aiProxyAnswer } from "../formats/ai-proxy-answer.ts";
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

export const chatToAiProxy: Translation = {
  target: aiProxyAnswer,
  translateRequest: (json: JsonRecord, model) => ({ model, query: lastUserText(json.messages), stream: false }),
  createReplyTranslator: (call) =>
    new NativeAsChat(call, aiProxyAnswer, (answer) => estimatedUsage(call.promptEstimate, answer)),
  droppedFields: (json) => droppedFieldsOf(json, supportedFields),
};
