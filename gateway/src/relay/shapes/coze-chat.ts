/**
 * Coze's chat with a bot, `/v3/chat`. The name of an event stands beside its data, and only a stream has the answer: a
 * whole one is put together from its events.
 */
import { isRecord, type Json, record, records, text } from "../json-parts.ts";
import { usageFrom } from "./open-ai-usage.ts";
import { type OpenedEvent, openEvent, ownShape, type ReadSaid, type Said } from "./own-shape.ts";
import type { Failure } from "./shape.ts";

const nameLine = /^event:[ \t]*(.*?)[ \t]*\r?$/m;

/** `{ event, data }`. */
function open(event: string): OpenedEvent {
  const [, name = ""] = nameLine.exec(event) ?? [];
  if (name === "done") return "done";
  const data = openEvent(event);
  return typeof data === "string" ? data : { event: name, data };
}

const blankLine = /(?:\r\n|\n|\r){2}/;

/** A whole stream as one JSON object, `{ events }`; an error that came in place of a stream stays what it is. */
export function collectedEvents(body: Buffer): Buffer {
  const stream = body.toString("utf8");
  if (stream.trimStart().startsWith("{")) return body;
  const events = stream.split(blankLine).map(open);
  return Buffer.from(JSON.stringify({ events: events.filter((event) => isRecord(event)) }));
}

/** Nearly all of a prompt may be what the bot was told and found before it was asked. */
function usageIn(usage: unknown): Said["usage"] {
  const { input_count: prompt_tokens, output_count: completion_tokens } = record(usage);
  const read = usageFrom({ prompt_tokens, completion_tokens });
  return read && { ...read, unseen: read.usage.input };
}

/** What a bot answers comes in pieces, and once more as a whole; cards and the like as a whole alone. */
function eventReader(): ReadSaid {
  const inPieces = new Set<unknown>();
  return ({ event, data }) => {
    const { id, chat_id, type, content, reasoning_content, usage } = record(data);
    if (event === "conversation.chat.completed") return { id: text(id), finish: "stop", usage: usageIn(usage) };
    if (type !== "answer") return undefined;
    const isPiece = event === "conversation.message.delta";
    if (isPiece) inPieces.add(id);
    else if (event !== "conversation.message.completed" || inPieces.has(id)) return undefined;
    return { id: text(chat_id), content: text(content), reasoning: text(reasoning_content) };
  };
}

function reader(): ReadSaid {
  const read = eventReader();
  return (json) => (Array.isArray(json.events) ? joined(records(json.events), read) : read(json));
}

function joined(events: readonly Json[], read: ReadSaid): Said | undefined {
  const all = events.map(read).filter((said) => said !== undefined);
  const last = all.at(-1);
  // Without its end the answer is not whole.
  if (last?.finish === undefined) return undefined;
  const textOf = (member: "content" | "reasoning") => all.map((said) => said[member] ?? "").join("");
  return { ...last, content: textOf("content"), reasoning: textOf("reasoning") };
}

/** What HTTP would have said, by Coze's table of error codes; others below 5000 are the caller's mistake. */
const statuses: Readonly<Record<number, number>> = { 4009: 429, 4013: 429, 4100: 401, 4101: 403, 700012006: 401 };

function told(code: unknown, message: unknown): Failure {
  const status = typeof code === "number" ? (statuses[code] ?? (code >= 4000 && code < 5000 ? 400 : 500)) : 500;
  return { status, message: text(message) || "no reason given", code: typeof code === "number" ? code : null };
}

function failure(json: Json): Failure | undefined {
  if (Array.isArray(json.events)) {
    return records(json.events)
      .map(failure)
      .find((found) => found !== undefined);
  }
  const { code, msg, last_error } = { ...json, ...record(json.data) };
  switch (json.event) {
    case "conversation.chat.failed":
      return told(record(last_error).code, record(last_error).msg);
    case "conversation.chat.requires_action":
      return { status: 400, message: "the bot waits for the result of a tool, which cannot be sent to it" };
    case "error":
      return told(code, msg);
    default:
      return json.event === undefined && typeof code === "number" && code !== 0 ? told(code, msg) : undefined;
  }
}

export const cozeChat = ownShape({
  entry: "coze_chat",
  reader,
  open,
  failure,
  withPrompt: (body, content) => ({
    ...body,
    additional_messages: [cozeMessage("user", content), ...records(body.additional_messages)],
  }),
});

export const cozeMessage = (role: "user" | "assistant", content: string): Json => ({
  role,
  type: role === "user" ? "question" : "answer",
  content_type: "text",
  content,
});
