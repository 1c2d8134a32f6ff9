/** Requests of chat completions for a text model on Replicate. */

import { estimateUsage } from "../formats/hold-size/token-estimate.ts";
import { replicatePrediction } from "../formats/replicate-prediction.ts";
import { type JsonRecord, present } from "../wire/json-parts.ts";
import { readCallFields, readTokenLimit } from "./chat-request.ts";
import { NativeAsChat } from "./native-as-chat.ts";
import { readSystemText, readText } from "./plain-messages.ts";
import type { FieldReader } from "./request-reader.ts";
import type { Translation } from "./translation.ts";

function translateRequest(request: FieldReader): JsonRecord {
  readCallFields(request);
  request.allow("n", 1);
  const { system, messages } = readSystemText(request);
  const { stop, ...sampling } = request.pick(
    "stop",
    "temperature",
    "top_p",
    "top_k",
    "presence_penalty",
    "frequency_penalty",
    "seed",
  );
  const input = present({
    prompt: composePrompt(messages),
    system_prompt: system || undefined,
    max_tokens: readTokenLimit(request),
    ...sampling,
    stop_sequences: Array.isArray(stop) ? stop.join(",") : stop,
  });
  return { input };
}

/**
 * `composePrompt` gives one text holds everything: a single message as it is, a conversation with the
 * names of its speakers.
 */
function composePrompt(messages: readonly FieldReader[]): string {
  const [onlyMessage, ...more] = messages;
  if (onlyMessage && more.length === 0) return readText(onlyMessage);
  const lines = messages.map((message) => {
    const { role } = message.json;
    const speaker = role === "assistant" ? "Assistant" : role === "tool" ? "Tool" : "User";
    return `${speaker}: ${readText(message)}`;
  });
  return [...lines, "Assistant:"].join("\n\n");
}

export const chatToReplicate: Translation = {
  target: replicatePrediction,
  lacksTools: true,
  translateRequest,
  createReplyTranslator: (call) =>
    new NativeAsChat(call, replicatePrediction, (answer) =>
      estimateUsage(call.promptEstimate, answer),
    ),
};
