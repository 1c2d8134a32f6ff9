/** Callers of chat completions, served by a model on Replicate that writes. */
import { estimatedUsage } from "../estimate.ts";
import { type Json, present } from "../json-parts.ts";
import { replicatePrediction } from "../shapes/replicate-prediction.ts";
import { byType, type KeptMembers, lostOf, only, whole } from "./kept.ts";
import { apartFromSystem, plainText } from "./plain-turns.ts";
import { SaidAsChat } from "./said-as-chat.ts";
import type { Translation } from "./translation.ts";

function body(json: Json): Json {
  const { system, rest } = apartFromSystem(json.messages);
  const stop = Array.isArray(json.stop) ? json.stop.join(",") : json.stop;
  const input = present({
    prompt: promptOf(rest),
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
function promptOf(messages: readonly Json[]): string {
  const [only, ...more] = messages;
  if (only && more.length === 0) return plainText(only.content);
  const lines = messages.map(({ role, content }) => {
    const who = role === "assistant" ? "Assistant" : role === "tool" ? "Tool" : "User";
    return `${who}: ${plainText(content)}`;
  });
  return [...lines, "Assistant:"].join("\n\n");
}

const kept: KeptMembers = {
  ...whole("model", "stream", "max_tokens", "max_completion_tokens", "temperature", "top_p", "top_k", "seed", "stop"),
  ...whole("presence_penalty", "frequency_penalty"),
  stream_options: { include_usage: true },
  store: only(false),
  logprobs: only(false),
  n: only(1),
  messages: { role: true, content: byType({ text: whole("text"), refusal: whole("refusal") }) },
};

export const chatToReplicate: Translation = {
  to: replicatePrediction,
  body,
  answers: (call) => new SaidAsChat(call, replicatePrediction, (answer) => estimatedUsage(call.promptEstimate, answer)),
  lost: (json) => lostOf(json, kept),
};
