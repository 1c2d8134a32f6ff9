/** Messages: Anthropic's API, which coding agents speak. */

import { computeCompletionTokens } from "../../money/prices/price.ts";
import type { ServedTerms } from "../../money/prices/price-factors.ts";
import { writeAnthropicLimits } from "../admission/limit-headers.ts";
import { findEventText, isObject, ownValueStart, readText } from "../wire/event-text.ts";
import { isRecord, type JsonRecord, record, records, text } from "../wire/json-parts.ts";
import { type RelayRefusal, writeWordsWithId } from "../wire/relay-refusal.ts";
import type {
  ClientFormat,
  ErrorFormat,
  ParsedRequest,
  ReplyFacts,
  StreamEventFacts,
  StreamEventReader,
  TokenCounter,
} from "./api-format.ts";
import type { AskedModel, SentBody } from "./call-parts.ts";
import { nameAnthropicType, writeContextWords } from "./error-words.ts";
import { createLimitWriter, parseAnswers, parseOutputLimit } from "./hold-size/output-limit.ts";
import { estimatePromptTokens } from "./hold-size/token-estimate.ts";
import { buildThreadContinued, compareWith, creditMember } from "./hold-size/unseen-inputs.ts";
import {
  buildTextFacts,
  buildWrittenFacts,
  buildWrittenReply,
  isEmptyTurn,
  streamOrJson,
} from "./reply-facts.ts";
import {
  messageList,
  modelName,
  objectField,
  parseBody,
  patchBody,
  switchField,
  tokenLimit,
} from "./request-fields.ts";
import { foldMessagesEvents } from "./stream-as-whole.ts";
import { parseMessagesUsage } from "./usage/messages-usage.ts";
import { findTokenCount, type ReportedUsage } from "./usage/reported-usage.ts";
import { findServedTerms } from "./usage/served-terms.ts";
import { joinOutput, parseWritten, type WrittenOutput } from "./usage/written-output.ts";
import { streamMessagesReply } from "./whole-as-stream.ts";

const messageMembers = ["messages", "system"];

const messagesRequest = objectField({
  model: modelName,
  messages: messageList,
  stream: switchField,
  max_tokens: tokenLimit,
});

function parseRequest(json: unknown, isEstimateRough: boolean): ParsedRequest {
  const code = "invalid_claude_messages_request";
  const { model, messages, stream, max_tokens } = parseBody(messagesRequest, json, code);
  const { system, [creditMember]: credit } = json as JsonRecord;
  return {
    model,
    isStream: stream === true,
    wantsUsage: true,
    streamOptions: {},
    maxOutputTokens: parseOutputLimit(json),
    choiceCount: parseAnswers(json),
    ...((credit != null || compareWith(json as JsonRecord) !== undefined) && { namesItems: true }),
    ...(max_tokens === 0 && { writesNothing: true }),
    promptEstimate: estimatePromptTokens(
      [...messages, { content: system }],
      json as JsonRecord,
      isEstimateRough,
      messageMembers,
    ),
    // Only Anthropic's own API has the conversation.
    ...(buildThreadContinued(json as JsonRecord) !== undefined && { refersTo: "thread" }),
  };
}

function writeBody(
  call: AskedModel & SentBody,
  model: string,
  systemPrompt: string | null,
): Buffer {
  return patchBody(
    call,
    model,
    systemPrompt === null ? {} : { system: JSON.stringify(systemPrompt) },
  );
}

/** Results of tools that the provider runs: the model reads them and did not write them. */
const isToolResult = ({ type }: JsonRecord): boolean => text(type).endsWith("_tool_result");
/** Reasoning that is summarised, encrypted or left out has more tokens than are seen. */
const isThinking = ({ type }: JsonRecord): boolean =>
  type === "thinking" || type === "redacted_thinking";

/** Nothing can be said of output that holds reasoning: its count stands. */
const addThinking = (reported: ReportedUsage | undefined): ReportedUsage | undefined =>
  reported && { ...reported, hiddenOutput: computeCompletionTokens(reported.usage) };

/** Arguments of tools are counted as they are streamed: as JSON. */
const buildWrittenBlock = (block: JsonRecord): WrittenOutput =>
  parseWritten(isRecord(block.input) ? { ...block, input: JSON.stringify(block.input) } : block);

function readReply({ type, content, usage, stop_reason }: JsonRecord): ReplyFacts | undefined {
  if (type !== "message" || !Array.isArray(content)) return undefined;
  if (stop_reason === "end_turn" && isEmptyTurn(content, record(usage).output_tokens))
    return undefined;
  const blocks = records(content);
  const written = joinOutput(blocks.filter((block) => !isToolResult(block)).map(buildWrittenBlock));
  const reported = parseMessagesUsage(usage);
  return {
    usage: blocks.some(isThinking) ? addThinking(reported) : reported,
    ...buildWrittenReply(written),
    served: findServedTerms(usage),
  };
}

const ignoredEvent: StreamEventFacts = { kind: "other", textBytes: 0 };
const malformedEvent: StreamEventFacts = { kind: "malformed", textBytes: 0 };
/** An end without words and without a reason is no answer. */
const doneEvent: StreamEventFacts = { kind: "done", textBytes: 0, isLast: true, badEnd: "empty" };
const textMembers = ["text", "thinking", "partial_json"];

/** Deltas that sign or source what was written, without adding to it. */
const unwrittenDeltas = new Set<unknown>(["signature_delta", "citations_delta"]);
/** Content for the client, which no model wrote. */
const toolResultEvent: StreamEventFacts = { kind: "content", textBytes: 0 };

interface MessagesEventWire {
  type?: unknown;
  message?: { usage?: unknown };
  content_block?: unknown;
  delta?: { stop_reason?: unknown };
  usage?: unknown;
  error?: unknown;
}

const emptyInput: JsonRecord = {};

/** A block that begins: nearly always empty, and sometimes whole. */
function blockStarted(block: JsonRecord): StreamEventFacts {
  if (block.type === "web_search_tool_result")
    return { ...toolResultEvent, extras: { web_searches: 1 } };
  if (isToolResult(block)) return toolResultEvent;
  const { input = emptyInput, ...rest } = block;
  const isEmptyInput = isRecord(input) && Object.keys(input).length === 0;
  return buildWrittenFacts(buildWrittenBlock(isEmptyInput ? rest : block));
}

/**
 * The first event reports prompt tokens, the last but one output tokens; the reader combines them.
 */
function createEventReader(): StreamEventReader {
  let served: ServedTerms | undefined;
  let reported: ReportedUsage | undefined;
  let isOutputCounted = false;
  let hasThinking = false;

  /** The output tokens of the first event are a placeholder: no output exists yet. */
  function addUsage(wire: unknown, isPlaceholder: boolean): void {
    const counted = isPlaceholder ? { ...record(wire), output_tokens: 0 } : wire;
    const parsed = parseMessagesUsage(counted, reported?.usage);
    // A later event repeats only some of the members.
    const members = { ...reported?.wire?.members, ...record(counted) };
    if (parsed) reported = { ...parsed, wire: { family: "anthropic", members } };
    if (!isPlaceholder && findTokenCount(record(wire).output_tokens) !== undefined)
      isOutputCounted = true;
  }

  function usageSoFar(): ReportedUsage | undefined {
    const usage = hasThinking ? addThinking(reported) : reported;
    return usage && !isOutputCounted ? { ...usage, isPartial: true } : usage;
  }

  return (event): StreamEventFacts => {
    const eventData = findEventText(event);
    if (!eventData) return ignoredEvent;
    if (!isObject(eventData)) return malformedEvent;
    const { text, from } = eventData;
    const type = ownValueStart(text, "type", from);
    if (text.startsWith('"content_block_delta', type)) {
      const written = readText(text, textMembers);
      if (written !== "") return buildTextFacts(written);
      const delta = record(parseEventJson(text.slice(from))?.delta);
      return unwrittenDeltas.has(delta.type)
        ? ignoredEvent
        : buildWrittenFacts(parseWritten(delta));
    }
    if (text.startsWith('"content_block_stop', type)) return ignoredEvent;
    if (text.startsWith('"ping"', type)) return ignoredEvent;
    const parsed = parseEventJson(text.slice(from));
    if (!parsed) return malformedEvent;
    if (parsed.type === "content_block_start") {
      const block = record(parsed.content_block);
      if (isThinking(block)) hasThinking = true;
      return blockStarted(block);
    }
    if (parsed.type === "error")
      return { kind: "error", textBytes: 0, error: parsed.error ?? parsed };
    if (parsed.type === "message_stop") return doneEvent;
    const counted = parsed.usage ?? parsed.message?.usage;
    addUsage(counted, parsed.type === "message_start");
    served = findServedTerms(counted) ?? served;
    const usage = usageSoFar();
    const isLast = typeof parsed.delta?.stop_reason === "string";
    return { ...ignoredEvent, ...(usage && { usage }), ...(served && { served }), isLast };
  };
}

function parseEventJson(text: string): MessagesEventWire | undefined {
  try {
    return JSON.parse(text) as MessagesEventWire;
  } catch {
    return undefined;
  }
}

function readErrorBody(refusal: RelayRefusal, request_id: string): string {
  const { code, budget } = refusal;
  const words = writeContextWords(refusal, "anthropic");
  const message = writeWordsWithId({ ...refusal, message: words }, request_id);
  const details = { ...(code != null && { code }), ...(budget && { budget }) };
  const error = { type: nameAnthropicType(refusal), message, ...details };
  return JSON.stringify({ type: "error", error, request_id });
}

const errorFormat: ErrorFormat = {
  errorBody: readErrorBody,
  limitHeaders: writeAnthropicLimits,
  // As Anthropic's own gateway says it: Claude Code shows the words and stops.
  statusOf: ({ isOfMoney, status }) => (isOfMoney ? 429 : status),
  streamError: (refusal, requestId) =>
    `event: error\ndata: ${readErrorBody(refusal, requestId)}\n\n`,
};

export const anthropicMessages: ClientFormat = {
  endpoint: "claude_messages",
  parseRequest,
  writeOutputLimit: createLimitWriter("max_tokens"),
  // Claude Code sends the last one to Anthropic itself.
  passedHeaders: ["anthropic-version", "anthropic-beta", "x-claude-code-session-id"],
  errorFormat,
  upstream: {
    endpoint: "claude_messages",
    writeBody,
    replies: {
      ...streamOrJson,
      streamFromReply: streamMessagesReply,
      replyFromStream: foldMessagesEvents,
    },
    readReply,
    createEventReader,
    terminator: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  },
};

export const messagesCounter: TokenCounter = {
  format: {
    ...anthropicMessages,
    upstream: {
      ...anthropicMessages.upstream,
      urlFor: (endpointUrl) => new URL(`${endpointUrl.href}/count_tokens`),
    },
  },
  totalField: "input_tokens",
};
