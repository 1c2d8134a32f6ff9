/** Streams of OpenAI's newer APIs: every event is an object that names its type. */
import { type EventText, findEventText, isObject, ownValueStart } from "../wire/event-text.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import type { StreamEventFacts, StreamEventReader } from "./api-format.ts";

export interface TypedEvent extends EventText {
  type: string;
  /** Its parsed data, undefined when it is not JSON; long events are better searched as text. */
  json(): JsonRecord | undefined;
}

export const ignoredEvent: StreamEventFacts = { kind: "other", textBytes: 0 };
export const malformedEvent: StreamEventFacts = { kind: "malformed", textBytes: 0 };
const doneEvent: StreamEventFacts = { kind: "done", textBytes: 0 };

/** `read` receives events of every type except errors. */
export const createTypedEventReader =
  (read: (event: TypedEvent) => StreamEventFacts): StreamEventReader =>
  (event) => {
    const eventData = findEventText(event);
    if (!eventData) return ignoredEvent;
    const { text, from, end } = eventData;
    if (end - from < 14 && text.slice(from, end).trim() === "[DONE]") return doneEvent;
    if (!isObject(eventData)) return malformedEvent;
    const json = (): JsonRecord | undefined => parseEventJson(text.slice(from, end));
    const type = readString(text, ownValueStart(text, "type", from));
    if (type === "error" || (type === "" && text[ownValueStart(text, "error", from)] === "{")) {
      const data = json();
      return data ? { kind: "error", textBytes: 0, error: data.error ?? data } : malformedEvent;
    }
    return read({ ...eventData, type, json });
  };

function parseEventJson(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readString(text: string, start: number): string {
  return start >= 0 && text[start] === '"'
    ? text.slice(start + 1, text.indexOf('"', start + 1))
    : "";
}
