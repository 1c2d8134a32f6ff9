/**
 * Requests of chat completions for AI Proxy's knowledge base: the user's last message is the
 * question.
 */

import { aiProxyAnswer } from "../formats/ai-proxy-answer.ts";
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
  return { model, query: readLastUserText(request), stream: false };
}

export const chatToAiProxy: Translation = {
  target: aiProxyAnswer,
  lacksTools: true,
  translateRequest,
  createReplyTranslator: (call) =>
    new NativeAsChat(call, aiProxyAnswer, (answer) => estimateUsage(call.promptEstimate, answer)),
};
