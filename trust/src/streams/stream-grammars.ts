// The events that providers of each API format send in a stream, and their meaning by the plainest
// reading.

import { anthropicMessages } from "@tollgate/gateway/relay/formats/anthropic-messages.ts";
import type { ClientFormat, UpstreamFormat } from "@tollgate/gateway/relay/formats/api-format.ts";
import { bedrockConverse } from "@tollgate/gateway/relay/formats/bedrock-converse.ts";
import { chatCompletions } from "@tollgate/gateway/relay/formats/chat-completions.ts";
import { gemini } from "@tollgate/gateway/relay/formats/gemini.ts";
import { responses } from "@tollgate/gateway/relay/formats/responses.ts";

type GrammarJson = Readonly<Record<string, unknown>>;

/** The meaning of one event. */
export interface EventMeaning {
  text?: string;
  /** `words` are what of `text` is counted as words, if not all of it. */
  words?: string;
  usage?: { input: number; output: number };
  /** The event contains the finish reason. */
  isLast?: boolean;
  /** The end shows nothing of the answer. */
  isEmptyEnd?: boolean;
  isDone?: boolean;
  isError?: boolean;
  /** The client did not ask for this event. */
  isHidden?: boolean;
}

export interface StreamGrammar {
  client: ClientFormat;
  upstream: UpstreamFormat;
  /** The framing of its streams. */
  wire: "events" | "converse" | "invoke";
  begin(model: string): GrammarJson[];
  word(text: string): GrammarJson;
  finish(): GrammarJson[];
  /** Without the terminator that some API formats have. */
  usage(input: number, output: number): GrammarJson;
  /** The end of a stream: an object, or a word that is not JSON. */
  done: GrammarJson | "[DONE]" | undefined;
  error(message: string): GrammarJson;
  /** Events that the relay ignores. */
  other(): GrammarJson;
  mean(event: GrammarJson, state: CountedSoFar, wantsUsage: boolean): EventMeaning;
  /**
   * `mayPass` says whether an event of incomplete JSON may pass, because the relay reads only a
   * part of it.
   */
  mayPass(data: string): boolean;
}

const record = (value: unknown): GrammarJson =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as GrammarJson)
    : {};
const records = (value: unknown): GrammarJson[] => (Array.isArray(value) ? value.map(record) : []);
const number = (value: unknown): number => (typeof value === "number" ? value : 0);
const written = (...values: unknown[]): string =>
  values.filter((value) => typeof value === "string").join("");
/** `CountedSoFar` is what a stream has counted so far. */
interface CountedSoFar {
  input: number;
  output: number;
  isOutputCounted?: boolean;
  /** The reason of the end has come. */
  hasStopped?: boolean;
}

const counted = (input: unknown, output: unknown): Pick<EventMeaning, "usage"> => {
  const usage = { input: number(input), output: number(output) };
  return usage.input + usage.output > 0 ? { usage } : {};
};

const chat: StreamGrammar = {
  client: chatCompletions,
  upstream: chatCompletions.upstream,
  wire: "events",
  begin: (model) => [
    {
      id: "c",
      object: "chat.completion.chunk",
      model,
      choices: [{ index: 0, delta: { role: "assistant" } }],
    },
  ],
  word: (content) => ({
    id: "c",
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  }),
  finish: () => [{ id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }],
  usage: (prompt_tokens, completion_tokens) => ({
    id: "c",
    choices: [],
    usage: { prompt_tokens, completion_tokens },
  }),
  done: "[DONE]",
  error: (message) => ({ error: { message, type: "server_error", code: 500 } }),
  other: () => ({
    id: "c",
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: "t" }] }, finish_reason: null }],
    usage: null,
  }),
  mean(event, _state, wantsUsage) {
    if (event.error !== undefined && event.error !== null) return { isError: true };
    const choices = records(event.choices);
    const text = choices
      .map(({ delta }) => {
        const { content, reasoning_content, refusal, tool_calls } = record(delta);
        return written(
          content,
          reasoning_content,
          refusal,
          ...records(tool_calls).map((call) => record(call.function).arguments),
        );
      })
      .join("");
    const usage = record(event.usage);
    const isCounting = typeof event.usage === "object" && event.usage !== null;
    return {
      text,
      ...counted(usage.prompt_tokens, usage.completion_tokens),
      isLast: isCounting || choices.some(({ finish_reason }) => typeof finish_reason === "string"),
      isHidden: isCounting && choices.length === 0 && !wantsUsage,
      isEmptyEnd: choices.length === 0,
    };
  },
  mayPass: () => true,
};

const messages: StreamGrammar = {
  client: anthropicMessages,
  upstream: anthropicMessages.upstream,
  wire: "events",
  begin: (model) => [
    {
      type: "message_start",
      message: {
        id: "m",
        type: "message",
        model,
        content: [],
        usage: { input_tokens: 7, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  ],
  word: (text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
  finish: () => [
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 12 },
    },
  ],
  usage: (input_tokens, output_tokens) => ({
    type: "message_delta",
    delta: {},
    usage: { input_tokens, output_tokens },
  }),
  done: { type: "message_stop" },
  error: (message) => ({ type: "error", error: { type: "overloaded_error", message } }),
  other: () => ({ type: "ping" }),
  mean(event, state) {
    const { type, usage, delta, message, content_block } = event;
    if (type === "error") return { isError: true };
    if (type === "message_stop") return { isDone: true, isEmptyEnd: true };
    if (type === "content_block_delta") {
      const { text, thinking, partial_json } = record(delta);
      return { text: written(text, thinking, partial_json) };
    }
    if (type === "content_block_start") return { text: written(record(content_block).text) };
    if (type !== "message_start" && type !== "message_delta") return {};
    const reported = record(usage ?? record(message).usage);
    const input = number(reported.input_tokens ?? state.input);
    // The first event comes before any output: its count of the output is a placeholder.
    const isFirst = type === "message_start";
    const output = isFirst ? 0 : number(reported.output_tokens ?? state.output);
    if (!isFirst && typeof reported.output_tokens === "number") state.isOutputCounted = true;
    // A provider without counts sends no usage.
    if (input + output > 0) Object.assign(state, { input, output });
    return {
      ...(state.isOutputCounted ? counted(state.input, state.output) : {}),
      isLast: typeof record(delta).stop_reason === "string",
    };
  },
  mayPass: (data) => /"type": ?"(content_block_|ping)/.test(data),
};

const openAiResponses: StreamGrammar = {
  client: responses,
  upstream: responses.upstream,
  wire: "events",
  begin: (model) => [
    { type: "response.created", response: { id: "r", object: "response", model, output: [] } },
  ],
  word: (delta) => ({ type: "response.output_text.delta", item_id: "i", delta }),
  finish: () => [{ type: "response.output_text.done", item_id: "i", text: "all" }],
  usage: () => ({ type: "response.in_progress", response: { id: "r", object: "response" } }),
  done: {
    type: "response.completed",
    response: { id: "r", output: [], usage: { input_tokens: 9, output_tokens: 11 } },
  },
  error: (message) => ({ type: "error", code: "server_error", message, param: null }),
  other: () => ({
    type: "response.content_part.added",
    item_id: "i",
    part: { type: "output_text", text: "" },
  }),
  mean({ type, delta, response }) {
    if (type === "error" || type === "response.failed") return { isError: true };
    if (type === "response.output_text.delta") return { text: written(delta) };
    if (type !== "response.completed") return {};
    const { input_tokens, output_tokens } = record(record(response).usage);
    return { isDone: true, isEmptyEnd: true, ...counted(input_tokens, output_tokens) };
  },
  mayPass: () => true,
};

/** Parts may hold data instead of words; its length is charged. */
const data = /^[A-Za-z0-9+/_=-]{256,}$/;

const google: StreamGrammar = {
  client: gemini,
  upstream: gemini.upstream,
  wire: "events",
  begin: () => [],
  word: (text) => ({
    candidates: [{ content: { parts: [{ text }], role: "model" }, index: 0 }],
    usageMetadata: { promptTokenCount: 5 },
  }),
  finish: () => [{ candidates: [{ content: { parts: [{ text: "." }] }, finishReason: "STOP" }] }],
  usage: (promptTokenCount, candidatesTokenCount) => ({
    candidates: [],
    usageMetadata: { promptTokenCount, candidatesTokenCount },
  }),
  done: undefined,
  error: (message) => ({ error: { code: 503, message, status: "UNAVAILABLE" } }),
  other: () => ({ candidates: [], responseId: "x" }),
  mean({ error, candidates, usageMetadata }) {
    if (error !== undefined) return { isError: true };
    const all = records(candidates);
    const isLast = all.some(({ finishReason }) => typeof finishReason === "string");
    const { promptTokenCount, candidatesTokenCount } = record(usageMetadata);
    const texts = all.flatMap(({ content }) =>
      records(record(content).parts).map(({ text }) => written(text)),
    );
    return {
      text: texts.join(""),
      words: texts.filter((text) => !data.test(text)).join(""),
      isLast,
      ...(isLast || candidatesTokenCount !== undefined
        ? counted(promptTokenCount, candidatesTokenCount)
        : {}),
    };
  },
  mayPass: () => false,
};

/** A Converse message with the name of its type. */
const converse: StreamGrammar = {
  client: chatCompletions,
  upstream: bedrockConverse,
  wire: "converse",
  begin: () => [{ messageStart: { role: "assistant" } }],
  word: (text) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: { text } } }),
  finish: () => [
    { contentBlockStop: { contentBlockIndex: 0 } },
    { messageStop: { stopReason: "end_turn" } },
  ],
  usage: () => ({ contentBlockStop: { contentBlockIndex: 1 } }),
  done: { metadata: { usage: { inputTokens: 8, outputTokens: 3 }, metrics: { latencyMs: 5 } } },
  error: (message) => ({ modelStreamErrorException: { message } }),
  other: () => ({
    contentBlockStart: { contentBlockIndex: 2, start: { toolUse: { name: "t", toolUseId: "u" } } },
  }),
  mean({ error, contentBlockDelta, messageStop, metadata }, state) {
    if (error !== undefined) return { isError: true };
    if (contentBlockDelta !== undefined)
      return { text: written(record(record(contentBlockDelta).delta).text) };
    if (metadata === undefined) {
      if (messageStop === undefined) return {};
      state.hasStopped = true;
      return { isLast: true, isDone: state.isOutputCounted ?? false };
    }
    state.isOutputCounted = true;
    const { inputTokens, outputTokens } = record(record(metadata).usage);
    return {
      isLast: true,
      isDone: state.hasStopped ?? false,
      ...counted(inputTokens, outputTokens),
    };
  },
  mayPass: () => true,
};

export const grammars: readonly StreamGrammar[] = [
  chat,
  messages,
  openAiResponses,
  google,
  converse,
  { ...messages, wire: "invoke" },
];
