/** Callers of chat completions, served by a model on Replicate that writes. */

import { replicatePrediction } from "../formats/replicate-prediction.ts";
import { estimatedUsage } from "../formats/token-estimate.ts";
import { type JsonRecord, present } from "../wire/json-parts.ts";
import { NativeAsChat } from "./native-as-chat.ts";
import { plainText, splitSystem } from "./plain-messages.ts";
import { byType, droppedFieldsOf, onlyValues, type SupportedFields, wholeFields } from "./supported-fields.ts";
import type { Translation } from "./translation.ts";

function body(json: JsonRecord): JsonRecord {
  const { system, rest: otherMessages } = splitSystem(json.messages);
  const stop = Array.isArray(json.stop) ? json.stop.join(",") : json.stop;
  const input = present({
    prompt: promptFrom(otherMessages),
    system_prompt: system || undefined,
    max_tokens: json.max_completion_tokens ?? json.max_tokens,
    temperature: json.temperature,
    top_p: json.top_p,
    top_k: json.top_k,
    presence_penalty: json.presence_penalty,
    frequency_penalty: json.frequency_penalty,
    seed: json.seed,
    stop_sequences: stop,
  });
  return { input };
}

/** There is one text for everything: a question as it is, a conversation with the names of those who speak. */
function promptFrom(messages: readonly JsonRecord[]): string {
  const [onlyMessage, ...more] = messages;
  if (onlyMessage && more.length === 0) return plainText(onlyMessage.content);
  const lines = messages.map(({ role, content }) => {
    const speaker = role === "assistant" ? "Assistant" : role === "tool" ? "Tool" : "User";
    return `${speaker}: ${plainText(content)}`;
  });
  return [...lines, "Assistant:"].join("\n\n");
}

const supportedFields: SupportedFields = {
  ...wholeFields(
    "model",
    "stream",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "top_p",
    "top_k",
    "seed",
    "stop",
  ),
  ...wholeFields("presence_penalty", "frequency_penalty"),
  stream_options: { include_usage: true },
  store: onlyValues(false),
  logprobs: onlyValues(false),
  n: onlyValues(1),
  messages: { role: true, content: byType({ text: wholeFields("text"), refusal: wholeFields("refusal") }) },
};

export const chatToReplicate: Translation = {
  target: replicatePrediction,
  translateRequest: body,
  createReplyTranslator: (call) =>
    new NativeAsChat(call, replicatePrediction, (answer) => estimatedUsage(call.promptEstimate, answer)),
  droppedFields: (json) => droppedFieldsOf(json, supportedFields),
};
