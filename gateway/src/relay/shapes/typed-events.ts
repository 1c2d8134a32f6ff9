/** Streams of OpenAI's newer interfaces: every event is an object that names its type. */
import { type EventText, eventText, isObject, valueStart } from "../event-text.ts";
import { isRecord, type Json } from "../json-parts.ts";
import type { EventFacts, ReadEvent } from "./shape.ts";

export interface TypedEvent extends EventText {
  type: string;
  /** Its whole data, undefined when it is no JSON; long events are better searched. */
  json(): Json | undefined;
}

export const nothing: EventFacts = { kind: "other", textBytes: 0 };
export const damaged: EventFacts = { kind: "damaged", textBytes: 0 };
const done: EventFacts = { kind: "done", textBytes: 0 };

/** `read` gets events of every type but errors. */
export const typedEvents =
  (read: (event: TypedEvent) => EventFacts): ReadEvent =>
  (event) => {
    const seen = eventText(event);
    if (!seen) return nothing;
    const { text, from, end } = seen;
    if (end - from < 14 && text.slice(from, end).trim() === "[DONE]") return done;
    if (!isObject(seen)) return damaged;
    const json = (): Json | undefined => jsonOf(text.slice(from, end));
    const type = stringAt(text, valueStart(text, "type", from));
    if (type === "error" || (type === "" && text[valueStart(text, "error", from)] === "{")) {
      const data = json();
      return data ? { kind: "error", textBytes: 0, error: data.error ?? data } : damaged;
    }
    return read({ ...seen, type, json });
  };

function jsonOf(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function stringAt(text: string, start: number): string {
  return start >= 0 && text[start] === '"' ? text.slice(start + 1, text.indexOf('"', start + 1)) : "";
}
