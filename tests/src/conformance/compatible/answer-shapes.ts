// Answers as the providers of compatible APIs word them, and what a client of any format must read
// from each.
import type { ConversationEndpoint } from "../conversation-scenario.ts";

export type AnswerEnd = "stop" | "length" | "filter" | "refusal";

export interface CompatibleAnswer {
  /** The provider, and what is peculiar. */
  name: string;
  speaks: ConversationEndpoint;
  reply?: object;
  /** Data of the events, or a line that is sent as it stands. */
  events?: readonly (object | string)[];
  text?: string;
  thought?: string;
  calls?: readonly { name: string; input: object }[];
  /** Addresses that the text cites, for the formats that can tell them. */
  sources?: readonly string[];
  /** Data of pictures, likewise. */
  pictures?: readonly string[];
  end?: AnswerEnd;
  /** Output tokens that the provider counted. */
  output?: number;
}

export const look = { name: "look", input: { city: "Bern" } };
export const hear = { name: "hear", input: { at: 1 } };
/** The address that answers cite. */
export const page = "https://page.example/a";
export const lookWritten = JSON.stringify(look.input);
export const hearWritten = JSON.stringify(hear.input);

export const counted = { prompt_tokens: 5, completion_tokens: 9, total_tokens: 14 };
const head = { id: "c1", created: 1, model: "m" };

export const chatReply = (message: object, finish_reason = "stop", more: object = {}) => ({
  ...head,
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
  usage: counted,
  ...more,
});
export const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  ...head,
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
});
export const usageChunk = (usage: object = counted) => ({
  ...head,
  object: "chat.completion.chunk",
  choices: [],
  usage,
});
export const call = (id: string, name: string, written: unknown, index?: number) => ({
  ...(index !== undefined && { index }),
  id,
  type: "function",
  function: { name, arguments: written },
});

export const chatAnswersOf = (
  answers: readonly Omit<CompatibleAnswer, "speaks">[],
): readonly CompatibleAnswer[] =>
  answers.map((answer) => ({ speaks: "Chat Completions", output: 9, ...answer }));

/** `ends` says how a client reads why an answer ended. */
export const ends: Readonly<Record<ConversationEndpoint, Readonly<Record<string, RegExp>>>> = {
  "Chat Completions": {
    stop: /"finish_reason":"(stop|tool_calls)"/,
    length: /"finish_reason":"length"/,
    filter: /"finish_reason":"content_filter"/,
    refusal: /"finish_reason":"stop"/,
  },
  Responses: {
    stop: /"status":"completed","incomplete_details":null/,
    length: /"reason":"max_output_tokens"/,
    filter: /"reason":"content_filter"/,
    refusal: /"status":"completed","incomplete_details":null/,
  },
  Messages: {
    stop: /"stop_reason":"(end_turn|tool_use)"/,
    length: /"stop_reason":"max_tokens"/,
    filter: /"stop_reason":"refusal"/,
    refusal: /"stop_reason":"refusal"/,
  },
  Gemini: {
    stop: /"finishReason":"STOP"/,
    length: /"finishReason":"MAX_TOKENS"/,
    filter: /"finishReason":"SAFETY"/,
    refusal: /"finishReason":"SAFETY"/,
  },
};
