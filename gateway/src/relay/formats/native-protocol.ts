/**
 * The grammar of a provider with a protocol of its own, which no caller speaks. Its answers are read once, for the
 * gateway and for the translation that brings them to the caller.
 */

import { isRecord, type JsonRecord, record, text } from "../wire/json-parts.ts";
import { eventData } from "../wire/sse-splitter.ts";
import type { ApiEndpoint, ApiFormat, ErrorInBody, RelayCall, StreamEventFacts } from "./api-format.ts";
import { openAiErrors } from "./openai-errors.ts";
import type { ReportedUsage } from "./reported-usage.ts";
import { textFacts } from "./text-facts.ts";

/** What an answer says, or one event of it, in the words of chat completions. */
export interface ReplyDelta {
  id?: string | undefined;
  content?: string | undefined;
  reasoning?: string | undefined;
  /** Calls of tools. Those of a stream may come in pieces, which have their `id` or their `index` in common. */
  toolCalls?: readonly JsonRecord[] | undefined;
  /** The reason to stop; an answer with one has said everything. */
  finishReason?: string | undefined;
  usage?: ReportedUsage | undefined;
}

/** Undefined for what is no answer of the protocol, and for events that say nothing. */
export type ReplyDeltaReader = (json: JsonRecord) => ReplyDelta | undefined;

/** What an event holds. `damaged` is data that nobody could read. */
export type ParsedEventData = JsonRecord | "nothing" | "done" | "damaged";

export interface NativeProtocolDefinition {
  endpoint: ApiEndpoint;
  /** A reader for one answer, whole or event by event. */
  createReader(): ReplyDeltaReader;
  /** What is wrong, where an answer or an event says so. */
  errorIn?(json: JsonRecord): ErrorInBody | undefined;
  /** The body with the channel's prompt in it; without this there is no place for one. */
  withSystemPrompt?(body: JsonRecord, prompt: string): JsonRecord;
  /** Where not everything is in the data of an event. */
  parseEvent?(event: string): ParsedEventData;
  isSingleEvent?: true;
}

export interface NativeProtocol extends ApiFormat {
  createReader(): ReplyDeltaReader;
  parseEvent(event: string): ParsedEventData;
}

/** Event data that is JSON, as nearly every protocol has it. */
export function parseJsonEvent(event: string): ParsedEventData {
  const data = eventData(event)?.trim() ?? "";
  if (data === "") return "nothing";
  if (data === "[DONE]" || data === '"[DONE]"') return "done";
  try {
    const json: unknown = JSON.parse(data);
    return isRecord(json) ? json : "damaged";
  } catch {
    return "damaged";
  }
}

const ignoredEvent: StreamEventFacts = { kind: "other", textBytes: 0 };

const modelText = ({ content = "", reasoning = "", toolCalls = [] }: ReplyDelta): string =>
  content + reasoning + toolCalls.map((call) => text(record(call.function).arguments)).join("");

export function nativeProtocol(protocol: NativeProtocolDefinition): NativeProtocol {
  const { endpoint, createReader, errorIn, withSystemPrompt, parseEvent = parseJsonEvent, isSingleEvent } = protocol;

  function writeBody({ body }: RelayCall, _model: string, prompt: string | null): Buffer {
    if (prompt === null || !withSystemPrompt) return body;
    return Buffer.from(JSON.stringify(withSystemPrompt(JSON.parse(body.toString("utf8")) as JsonRecord, prompt)));
  }

  function eventFacts(json: ParsedEventData, read: ReplyDeltaReader): StreamEventFacts {
    if (json === "nothing") return ignoredEvent;
    if (json === "done" || json === "damaged") return { kind: json, textBytes: 0 };
    const error = errorIn?.(json);
    if (error) return { kind: "error", textBytes: 0, error };
    const delta = read(json);
    if (!delta) return ignoredEvent;
    const isLast = delta.finishReason !== undefined;
    // Early events may not count the answer yet: whoever believed them would give it away.
    const isCounted = isLast || (delta.usage?.usage.output ?? 0) > 0;
    return { ...textFacts(modelText(delta)), isLast, ...(isCounted && delta.usage && { usage: delta.usage }) };
  }

  return {
    endpoint,
    createReader,
    parseEvent,
    writeBody,
    ...(errorIn && { errorIn }),
    ...(isSingleEvent && { isSingleEvent }),
    readReply(json) {
      const delta = createReader()(json);
      return delta && { usage: delta.usage, text: modelText(delta) };
    },
    createEventReader() {
      const read = createReader();
      return (event) => eventFacts(parseEvent(event), read);
    },
    terminator: "",
    passedHeaders: [],
    errorFormat: openAiErrors,
    parseRequest: () => refuseClientUse(endpoint),
    probeBody: () => refuseClientUse(endpoint),
  };
}

function refuseClientUse(endpoint: ApiEndpoint): never {
  throw new TypeError(`${endpoint} is spoken by providers alone`);
}
