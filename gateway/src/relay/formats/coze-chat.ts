/**
 * Coze's chat with a bot, `/v3/chat`. The name of an event stands beside its data, and only a
 * stream carries the reply: a whole reply is assembled from its events.
 */
import { isRecord, type JsonRecord, record, records, text } from "../wire/json-parts.ts";
import type { ErrorInBody } from "./api-format.ts";
import {
  buildNativeProtocol,
  type ParsedEventData,
  parseJsonEvent,
  type ReplyDelta,
  type ReplyDeltaReader,
} from "./native-protocol.ts";
import { parseOpenAiUsage } from "./usage/openai-usage.ts";

const nameLine = /^event:[ \t]*(.*?)[ \t]*\r?$/m;

/** `{ event, data }`. */
function parseCozeEvent(event: string): ParsedEventData {
  const [, name = ""] = nameLine.exec(event) ?? [];
  if (name === "done") return "done";
  const data = parseJsonEvent(event);
  return typeof data === "string" ? data : { event: name, data };
}

const blankLine = /(?:\r\n|\n|\r){2}/;

/**
 * A whole stream as one JSON object, `{ events }`. An error in place of a stream is returned
 * unchanged.
 */
export function collectEvents(body: Buffer): Buffer {
  const stream = body.toString("utf8");
  if (stream.trimStart().startsWith("{")) return body;
  const events = stream.split(blankLine).map(parseCozeEvent);
  return Buffer.from(JSON.stringify({ events: events.filter((event) => isRecord(event)) }));
}

/**
 * Nearly all of the prompt may be the bot's own instructions and search results, which the client
 * never sent.
 */
function findUsage(usage: unknown): ReplyDelta["usage"] {
  const { input_count: prompt_tokens, output_count: completion_tokens } = record(usage);
  const read = parseOpenAiUsage({ prompt_tokens, completion_tokens });
  return read && { ...read, hiddenPrompt: read.usage.input };
}

/** A bot's reply arrives in deltas and once more as a whole; cards arrive as a whole only. */
function createEventReader(): ReplyDeltaReader {
  const streamedMessageIds = new Set<unknown>();
  return ({ event, data }) => {
    const { id, chat_id, type, content, reasoning_content, usage } = record(data);
    if (event === "conversation.chat.completed")
      return { id: text(id), finishReason: "stop", usage: findUsage(usage) };
    if (type !== "answer") return undefined;
    const isDelta = event === "conversation.message.delta";
    if (isDelta) streamedMessageIds.add(id);
    else if (event !== "conversation.message.completed" || streamedMessageIds.has(id))
      return undefined;
    return { id: text(chat_id), content: text(content), reasoning: text(reasoning_content) };
  };
}

function createReader(): ReplyDeltaReader {
  const read = createEventReader();
  return (json) =>
    Array.isArray(json.events) ? joinDeltas(records(json.events), read) : read(json);
}

function joinDeltas(events: readonly JsonRecord[], read: ReplyDeltaReader): ReplyDelta | undefined {
  const deltas = events.map(read).filter((delta) => delta !== undefined);
  const last = deltas.at(-1);
  // A stream without its final event is incomplete.
  if (last?.finishReason === undefined) return undefined;
  const textOf = (member: "content" | "reasoning") =>
    deltas.map((delta) => delta[member] ?? "").join("");
  return { ...last, content: textOf("content"), reasoning: textOf("reasoning") };
}

/** HTTP statuses for Coze's error codes; others below 5000 are a mistake in the request. */
const statuses: Readonly<Record<number, number>> = {
  4009: 429,
  4013: 429,
  4100: 401,
  4101: 403,
  700012006: 401,
};

function buildError(code: unknown, message: unknown): ErrorInBody {
  const status =
    typeof code === "number" ? (statuses[code] ?? (code >= 4000 && code < 5000 ? 400 : 500)) : 500;
  return {
    status,
    message: text(message) || "no reason given",
    code: typeof code === "number" ? code : null,
  };
}

function parseError(json: JsonRecord): ErrorInBody | undefined {
  if (Array.isArray(json.events)) {
    return records(json.events)
      .map(parseError)
      .find((found) => found !== undefined);
  }
  const { code, msg, last_error } = { ...json, ...record(json.data) };
  switch (json.event) {
    case "conversation.chat.failed":
      return buildError(record(last_error).code, record(last_error).msg);
    case "conversation.chat.requires_action":
      return {
        status: 400,
        message: "the bot waits for the result of a tool, which cannot be sent to it",
      };
    case "error":
      return buildError(code, msg);
    default:
      return json.event === undefined && typeof code === "number" && code !== 0
        ? buildError(code, msg)
        : undefined;
  }
}

export const cozeChat = buildNativeProtocol({
  endpoint: "coze_chat",
  createReader,
  parseEvent: parseCozeEvent,
  errorIn: parseError,
  withSystemPrompt: (body, content) => ({
    ...body,
    additional_messages: [formatCozeMessage("user", content), ...records(body.additional_messages)],
  }),
});

export const formatCozeMessage = (role: "user" | "assistant", content: string): JsonRecord => ({
  role,
  type: role === "user" ? "question" : "answer",
  content_type: "text",
  content,
});
