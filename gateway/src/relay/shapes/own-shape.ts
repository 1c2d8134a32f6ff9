/**
 * The grammar of a provider with a protocol of its own, which no caller speaks. Its answers are read once, for the
 * gateway and for the translation that brings them to the caller.
 */
import { eventData } from "../event-splitter.ts";
import { isRecord, type Json, record, text } from "../json-parts.ts";
import type { ReadUsage } from "../usage.ts";
import { openAiWording } from "./open-ai-wording.ts";
import { saying } from "./saying.ts";
import type { Call, Entry, EventFacts, Failure, Shape } from "./shape.ts";

/** What an answer says, or one event of it, in the words of chat completions. */
export interface Said {
  id?: string | undefined;
  content?: string | undefined;
  reasoning?: string | undefined;
  /** Calls of tools. Those of a stream may come in pieces, which have their `id` or their `index` in common. */
  toolCalls?: readonly Json[] | undefined;
  /** The reason to stop; an answer with one has said everything. */
  finish?: string | undefined;
  usage?: ReadUsage | undefined;
}

/** Undefined for what is no answer of the protocol, and for events that say nothing. */
export type ReadSaid = (json: Json) => Said | undefined;

/** What an event holds. `damaged` is data that nobody could read. */
export type OpenedEvent = Json | "nothing" | "done" | "damaged";

export interface Protocol {
  entry: Entry;
  /** A reader for one answer, whole or event by event. */
  reader(): ReadSaid;
  /** What is wrong, where an answer or an event says so. */
  failure?(json: Json): Failure | undefined;
  /** The body with the channel's prompt in it; without this there is no place for one. */
  withPrompt?(body: Json, prompt: string): Json;
  /** Where not everything is in the data of an event. */
  open?(event: string): OpenedEvent;
  isOneEvent?: true;
}

export interface OwnShape extends Shape {
  reader(): ReadSaid;
  open(event: string): OpenedEvent;
}

/** Event data that is JSON, as nearly every protocol has it. */
export function openEvent(event: string): OpenedEvent {
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

const nothing: EventFacts = { kind: "other", textBytes: 0 };

const written = ({ content = "", reasoning = "", toolCalls = [] }: Said): string =>
  content + reasoning + toolCalls.map((call) => text(record(call.function).arguments)).join("");

export function ownShape(protocol: Protocol): OwnShape {
  const { entry, reader, failure, withPrompt, open = openEvent, isOneEvent } = protocol;

  function bodyFor({ body }: Call, _model: string, prompt: string | null): Buffer {
    if (prompt === null || !withPrompt) return body;
    return Buffer.from(JSON.stringify(withPrompt(JSON.parse(body.toString("utf8")) as Json, prompt)));
  }

  function eventFacts(json: OpenedEvent, read: ReadSaid): EventFacts {
    if (json === "nothing") return nothing;
    if (json === "done" || json === "damaged") return { kind: json, textBytes: 0 };
    const error = failure?.(json);
    if (error) return { kind: "error", textBytes: 0, error };
    const said = read(json);
    if (!said) return nothing;
    const isLast = said.finish !== undefined;
    // Early events may not count the answer yet: whoever believed them would give it away.
    const isCounted = isLast || (said.usage?.usage.output ?? 0) > 0;
    return { ...saying(written(said)), isLast, ...(isCounted && said.usage && { usage: said.usage }) };
  }

  return {
    entry,
    reader,
    open,
    bodyFor,
    ...(failure && { failure }),
    ...(isOneEvent && { isOneEvent }),
    answer(json) {
      const said = reader()(json);
      return said && { usage: said.usage, text: written(said) };
    },
    events() {
      const read = reader();
      return (event) => eventFacts(open(event), read);
    },
    terminator: "",
    passedHeaders: [],
    wording: openAiWording,
    read: () => neverCalled(entry),
    probe: () => neverCalled(entry),
  };
}

function neverCalled(entry: Entry): never {
  throw new TypeError(`${entry} is spoken by providers alone`);
}
