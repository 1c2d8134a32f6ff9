/** The whole reply that the events of a stream add up to, for clients that asked for no stream of a provider that sent one. Pure. */
import { type JsonRecord, numberOf, parsedObject, record, records, text } from "../wire/json-parts.ts";

/** The JSON of each event in a body; undefined where the body is no stream of events. */
export function readEvents(body: string): JsonRecord[] | undefined {
  if (!beginsAsEvents(body)) return undefined;
  const events = body.replaceAll("\r\n", "\n").split("\n\n");
  return events.flatMap((event) => {
    const lines = event.split("\n").filter((line) => line.startsWith("data:"));
    const json = parsedObject(lines.map((line) => line.slice("data:".length)).join("\n"));
    return Object.keys(json).length > 0 ? [json] : [];
  });
}

/** Whatever content type a server states, a body that begins so is a stream of events. */
export const beginsAsEvents = (body: string): boolean => /^\uFEFF?\s*(?:data|event|id|retry)?:/.test(body);

export function foldChatEvents(events: readonly JsonRecord[]): JsonRecord | undefined {
  const first = events.find(({ choices }) => Array.isArray(choices));
  if (!first) return undefined;
  const choices = new Map<number, JsonRecord>();
  let usage: unknown;
  for (const event of events) {
    usage = event.usage ?? usage;
    for (const choice of records(event.choices)) {
      const index = numberOf(choice.index);
      choices.set(index, foldChoice(choices.get(index) ?? { index, message: {} }, choice));
    }
  }
  return { ...first, object: "chat.completion", choices: [...choices.values()], usage };
}

function foldChoice(before: JsonRecord, { delta, message, finish_reason }: JsonRecord): JsonRecord {
  const { tool_calls, ...said } = record(delta ?? message);
  const merged: Record<string, unknown> = { role: "assistant", ...record(before.message) };
  for (const [name, value] of Object.entries(said)) {
    const earlier = merged[name];
    if (typeof value === "string" && typeof earlier === "string" && name !== "role") merged[name] = earlier + value;
    else if (Array.isArray(value) && Array.isArray(earlier)) merged[name] = [...earlier, ...(value as unknown[])];
    else merged[name] = value ?? earlier;
  }
  const calls = records(tool_calls).reduce<JsonRecord[]>(foldCall, records(merged.tool_calls));
  if (calls.length > 0) merged.tool_calls = calls;
  return { ...before, message: merged, finish_reason: finish_reason ?? before.finish_reason ?? null };
}

function foldCall(calls: JsonRecord[], { index, ...piece }: JsonRecord): JsonRecord[] {
  const at = numberOf(index, calls.length);
  const call = calls[at];
  if (!call) return [...calls, piece];
  const { arguments: earlier, name } = record(call.function);
  const next = record(piece.function);
  const called = { ...next, name: text(name) || next.name, arguments: text(earlier) + text(next.arguments) };
  return calls.with(at, { ...call, id: call.id ?? piece.id, function: called });
}

export const foldResponsesEvents = (events: readonly JsonRecord[]): JsonRecord | undefined => {
  const last = events.findLast(({ type }) => /^response\.(?:completed|incomplete|failed)$/.test(text(type)));
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
    const at = numberOf(index);
    if (type === "content_block_start") blocks.set(at, record(content_block));
    else if (type === "content_block_delta") blocks.set(at, foldBlock(blocks.get(at) ?? {}, record(delta)));
    else if (type === "message_delta") {
      ended = { ...ended, ...record(delta) };
      usage = { ...usage, ...record(counted) };
    }
  }
  const content = [...blocks.values()].map(({ partial, ...block }) =>
    partial === undefined ? block : { ...block, input: parsedObject(text(partial)) },
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
  const candidates = new Map<number, JsonRecord>();
  for (const event of events)
    for (const candidate of records(event.candidates)) {
      const index = numberOf(candidate.index);
      const before = candidates.get(index) ?? {};
      const parts = [...records(record(before.content).parts), ...records(record(candidate.content).parts)];
      candidates.set(index, { ...before, ...candidate, content: { role: "model", parts } });
    }
  return { ...Object.assign({}, ...events), ...(candidates.size > 0 && { candidates: [...candidates.values()] }) };
}
