/**
 * The protocol of a single provider, which no client speaks. One reader of its replies serves both
 * the gateway and the translation into the client's format.
 */
import { isRecord, type JsonRecord, record, text } from "../wire/json-parts.ts";
import { findEventData } from "../wire/sse-splitter.ts";
import type {
  ApiEndpoint,
  ErrorInBody,
  ReplyStrategy,
  StreamEventFacts,
  UpstreamFormat,
} from "./api-format.ts";
import type { SentBody } from "./call-parts.ts";
import { buildTextFacts, streamOrJson } from "./reply-facts.ts";
import type { ReportedUsage } from "./usage/reported-usage.ts";

/** The content of a reply, or of one event of it, in the terms of chat completions. */
export interface ReplyDelta {
  id?: string | undefined;
  content?: string | undefined;
  reasoning?: string | undefined;
  /** Tool calls. In a stream a call may arrive in pieces, which share its `id` or its `index`. */
  toolCalls?: readonly JsonRecord[] | undefined;
  /** The finish reason; a reply that has one is complete. */
  finishReason?: string | undefined;
  usage?: ReportedUsage | undefined;
  /** Embeddings: how many there are. */
  vectorCount?: number;
}

/** Undefined for JSON that is not a reply of the protocol, and for events without content. */
export type ReplyDeltaReader = (json: JsonRecord) => ReplyDelta | undefined;

/** The data of an event. `malformed` is data that is not a JSON object. */
export type ParsedEventData = JsonRecord | "nothing" | "done" | "malformed";

export interface NativeProtocolDefinition {
  endpoint: ApiEndpoint;
  /** Creates a reader for one reply, whole or event by event. */
  createReader(): ReplyDeltaReader;
  /** The error that a reply or an event reports. */
  errorIn?(json: JsonRecord): ErrorInBody | undefined;
  /** The body with the channel's system prompt; missing where the protocol has no place for one. */
  withSystemPrompt?(body: JsonRecord, prompt: string): JsonRecord;
  /** Needed where an event has more than its data. */
  parseEvent?(event: string): ParsedEventData;
  /** `replies` go by default the provider streams. */
  replies?: ReplyStrategy;
}

export interface NativeProtocol extends UpstreamFormat {
  createReader(): ReplyDeltaReader;
  parseEvent(event: string): ParsedEventData;
}

/** Event data that is JSON, as in nearly every protocol. */
export function parseJsonEvent(event: string): ParsedEventData {
  const data = findEventData(event)?.trim() ?? "";
  if (data === "") return "nothing";
  if (data === "[DONE]" || data === '"[DONE]"') return "done";
  try {
    const json: unknown = JSON.parse(data);
    return isRecord(json) ? json : "malformed";
  } catch {
    return "malformed";
  }
}

const ignoredEvent: StreamEventFacts = { kind: "other", textBytes: 0 };

const formatModelText = ({ content = "", reasoning = "", toolCalls = [] }: ReplyDelta): string =>
  content + reasoning + toolCalls.map((call) => text(record(call.function).arguments)).join("");

export function buildNativeProtocol(protocol: NativeProtocolDefinition): NativeProtocol {
  const { endpoint, createReader, errorIn, withSystemPrompt } = protocol;
  const { parseEvent = parseJsonEvent, replies = streamOrJson } = protocol;

  function writeBody({ body }: SentBody, _model: string, prompt: string | null): Buffer {
    if (prompt === null || !withSystemPrompt) return body;
    return Buffer.from(
      JSON.stringify(withSystemPrompt(JSON.parse(body.toString("utf8")) as JsonRecord, prompt)),
    );
  }

  function eventFacts(json: ParsedEventData, read: ReplyDeltaReader): StreamEventFacts {
    if (json === "nothing") return ignoredEvent;
    if (json === "done" || json === "malformed") return { kind: json, textBytes: 0 };
    const error = errorIn?.(json);
    if (error) return { kind: "error", textBytes: 0, error };
    const delta = read(json);
    if (!delta) return ignoredEvent;
    const isLast = delta.finishReason !== undefined;
    return {
      ...buildTextFacts(formatModelText(delta)),
      isLast,
      ...(delta.usage && { usage: delta.usage }),
    };
  }

  return {
    endpoint,
    createReader,
    parseEvent,
    writeBody,
    replies,
    ...(errorIn && { errorIn }),
    readReply(json) {
      const delta = createReader()(json);
      if (!delta) return undefined;
      const { usage, vectorCount } = delta;
      return {
        usage,
        text: formatModelText(delta),
        ...(vectorCount !== undefined && { vectorCount }),
      };
    },
    createEventReader() {
      const read = createReader();
      return (event) => eventFacts(parseEvent(event), read);
    },
    terminator: "",
  };
}
