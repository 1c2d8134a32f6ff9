/** Callers of chat completions, served by AI Proxy's knowledge base: the last thing the user said is the question. */
import { estimatedUsage } from "../estimate.ts";
import type { Json } from "../json-parts.ts";
import { aiProxyAnswer } from "../shapes/ai-proxy-answer.ts";
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

export const chatToAiProxy: Translation = {
  to: aiProxyAnswer,
  body: (json: Json, model) => ({ model, query: lastQuestion(json.messages), stream: false }),
  answers: (call) => new SaidAsChat(call, aiProxyAnswer, (answer) => estimatedUsage(call.promptEstimate, answer)),
  lost: (json) => lostOf(json, kept),
};
