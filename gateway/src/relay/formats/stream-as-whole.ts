/**
 * The whole reply that the events of a stream add up to, for clients that asked for no stream of a
 * provider that sent one. Pure.
 */
import { buildEventJson } from "../wire/event-text.ts";
import {
  type JsonRecord,
  parseObject,
  readNumber,
  record,
  records,
  text,
} from "../wire/json-parts.ts";
import { SseSplitter } from "../wire/sse-splitter.ts";

/** The events in a body; undefined where the body is no stream of events. */
export function splitEvents(body: Buffer): string[] | undefined {
  if (!beginsAsEvents(body)) return undefined;
  const splitter = new SseSplitter(body.length);
  return [splitter.push(body), splitter.end()].flatMap(({ bytes, ends }) =>
    ends.map((end, at) => bytes.toString("utf8", ends[at - 1] ?? 0, end)),
  );
}

/** The JSON of each event that has one. */
export const readEvents = (events: readonly string[]): JsonRecord[] =>
  events.map(buildEventJson).filter((json) => Object.keys(json).length > 0);

const beginningBytes = 64;

/** Whatever content type a server states, a body that begins so is a stream of events. */
export const beginsAsEvents = (body: Buffer): boolean =>
  /^\uFEFF?\s*(?:data|event|id|retry)?:/.test(body.toString("utf8", 0, beginningBytes));

export function foldChatEvents(events: readonly JsonRecord[]): JsonRecord | undefined {
  const first = events.find(({ choices }) => Array.isArray(choices));
  if (!first) return undefined;
  const choices = new Map<number, FoldedChoice>();
  let usage: unknown;
  for (const event of events) {
    usage = event.usage ?? usage;
    for (const choice of records(event.choices)) {
      const index = readNumber(choice.index);
      const folded = choices.get(index) ?? new FoldedChoice(index);
      choices.set(index, folded);
      folded.add(choice);
    }
  }
  const whole = [...choices.values()].map((choice) => choice.whole);
  return { ...first, object: "chat.completion", choices: whole, usage };
}

/**
 * A choice as its deltas come; a body may have hundreds of thousands of them, so that none copies
 * what came before.
 */
class FoldedChoice {
  readonly #index: number;
  readonly #message: Record<string, unknown> = { role: "assistant" };
  readonly #calls = new Map<number, JsonRecord>();
  #finishReason: unknown = null;

  constructor(index: number) {
    this.#index = index;
  }

  get whole(): JsonRecord {
    const calls = this.#calls.size > 0 && { tool_calls: [...this.#calls.values()] };
    return {
      index: this.#index,
      message: { ...this.#message, ...calls },
      finish_reason: this.#finishReason,
    };
  }

  add({ delta, message, finish_reason }: JsonRecord): void {
    const { tool_calls, ...said } = record(delta ?? message);
    for (const [name, value] of Object.entries(said)) {
      const earlier = this.#message[name];
      if (typeof value === "string" && typeof earlier === "string" && name !== "role")
        this.#message[name] = earlier + value;
      else if (Array.isArray(value) && Array.isArray(earlier))
        for (const one of value) earlier.push(one);
      else this.#message[name] = Array.isArray(value) ? value.slice() : (value ?? earlier);
    }
    for (const piece of records(tool_calls)) this.#addCall(piece);
    this.#finishReason = finish_reason ?? this.#finishReason;
  }

  #addCall({ index, ...piece }: JsonRecord): void {
    const at = readNumber(index, this.#calls.size);
    const call = this.#calls.get(at);
    const { arguments: earlier, name } = record(call?.function);
    const next = record(piece.function);
    const called = {
      ...next,
      name: text(name) || next.name,
      arguments: text(earlier) + text(next.arguments),
    };
    this.#calls.set(at, call ? { ...call, id: call.id ?? piece.id, function: called } : piece);
  }
}

export const foldResponsesEvents = (events: readonly JsonRecord[]): JsonRecord | undefined => {
  const last = events.findLast(({ type }) =>
    /^response\.(?:completed|incomplete|failed)$/.test(text(type)),
  );
  return last && record(last.response);
};

export function foldMessagesEvents(events: readonly JsonRecord[]): JsonRecord | undefined {
  const start = events.find(({ type }) => type === "message_start");
  if (!start) return undefined;
  const message = record(start.message);
  const blocks = new Map<number, JsonRecord>();
  let ended: JsonRecord = {};
  let usage = record(message.usage);
  for (const { type, index, content_block, delta, usage: counted } of events) {
    const at = readNumber(index);
    if (type === "content_block_start") blocks.set(at, record(content_block));
    else if (type === "content_block_delta")
      blocks.set(at, foldBlock(blocks.get(at) ?? {}, record(delta)));
    else if (type === "message_delta") {
      ended = { ...ended, ...record(delta) };
      usage = { ...usage, ...record(counted) };
    }
  }
  const content = [...blocks.values()].map(({ partial, ...block }) =>
    partial === undefined ? block : { ...block, input: parseObject(text(partial)) },
  );
  return { ...message, content, ...ended, usage };
}

function foldBlock(block: JsonRecord, delta: JsonRecord): JsonRecord {
  switch (delta.type) {
    case "text_delta":
      return { ...block, text: text(block.text) + text(delta.text) };
    case "thinking_delta":
      return { ...block, thinking: text(block.thinking) + text(delta.thinking) };
    case "signature_delta":
      return { ...block, signature: text(block.signature) + text(delta.signature) };
    case "input_json_delta":
      return { ...block, partial: text(block.partial) + text(delta.partial_json) };
    default:
      return block;
  }
}

export function foldGeminiEvents(events: readonly JsonRecord[]): JsonRecord | undefined {
  if (events.length === 0) return undefined;
  const whole: Record<string, unknown> = {};
  const candidates = new Map<number, { members: Record<string, unknown>; parts: JsonRecord[] }>();
  for (const event of events) {
    Object.assign(whole, event);
    for (const candidate of records(event.candidates)) {
      const index = readNumber(candidate.index);
      const folded = candidates.get(index) ?? { members: {}, parts: [] };
      candidates.set(index, folded);
      Object.assign(folded.members, candidate);
      for (const part of records(record(candidate.content).parts)) folded.parts.push(part);
    }
  }
  const answered = [...candidates.values()].map(({ members, parts }) => ({
    ...members,
    content: { role: "model", parts },
  }));
  return { ...whole, ...(answered.length > 0 && { candidates: answered }) };
}
