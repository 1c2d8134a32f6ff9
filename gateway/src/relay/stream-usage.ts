/** What the events of a chat completion stream say that we must know: usage, errors, how much text went by. */
import { noUsage, type Usage } from "../money/price.ts";
import { eventData } from "./event-splitter.ts";

/** The usage object of OpenAI's shape, as far as we read it. Everything is hostile until checked. */
interface WireUsage {
  prompt_tokens?: unknown;
  completion_tokens?: unknown;
  prompt_tokens_details?: { cached_tokens?: unknown } | null;
  completion_tokens_details?: { reasoning_tokens?: unknown } | null;
}

export interface ReadUsage {
  usage: Usage;
  /** Output that the caller never sees; part of `usage.output`. */
  hidden: number;
  /** Something in it was out of range and was replaced or clamped. */
  isFlagged: boolean;
}

const tokensMax = 100_000_000;
const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= tokensMax ? value : undefined;

/** Disjoint buckets from OpenAI's usage, in which prompt tokens include the cached ones; undefined when it counts nothing. */
export function usageFrom(wire: unknown): ReadUsage | undefined {
  if (typeof wire !== "object" || wire === null) return undefined;
  const { prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details } = wire as WireUsage;
  const prompt = count(prompt_tokens);
  const output = count(completion_tokens ?? 0);
  if (prompt === undefined || output === undefined) return undefined;
  if (prompt === 0 && output === 0) return undefined;
  const cachedSaid = prompt_tokens_details?.cached_tokens ?? 0;
  const cached = count(cachedSaid);
  const cache_read = Math.min(cached ?? 0, prompt);
  const hidden = Math.min(count(completion_tokens_details?.reasoning_tokens) ?? 0, output);
  const usage = { ...noUsage, input: prompt - cache_read, cache_read, output };
  return { usage, hidden, isFlagged: cache_read !== cachedSaid };
}

/** How far the upstream's word may be from what went through our hands before we stop believing it. */
const believable = (estimate: number): number => 4 * estimate + 1_000;

/** The usage to charge: the upstream's own word while it is believable, else the estimate; the note says which and why. */
export function chargeable(wire: unknown, estimate: Usage): { usage: Usage; note: string } {
  const read = usageFrom(wire);
  if (!read) return { usage: estimate, note: "usage estimated: the upstream gave none that can be used" };
  const { usage, hidden, isFlagged } = read;
  const prompt = usage.input + usage.cache_read;
  if (prompt > believable(estimate.input) || usage.output - hidden > believable(estimate.output)) {
    const said = `${prompt} prompt and ${usage.output} completion tokens`;
    return { usage: estimate, note: `usage estimated: the upstream claimed ${said}, far from what was seen` };
  }
  return { usage, note: isFlagged ? "usage corrected: the upstream counted more cached than prompt tokens" : "" };
}

export interface EventFacts {
  /** `damaged` is data that is no whole JSON object: nobody could read it. */
  kind: "content" | "usage" | "error" | "done" | "damaged" | "other";
  /** Bytes of visible or reasoning text, or of tool arguments, in the event. */
  textBytes: number;
  usage?: unknown;
  /** The usage event carries no choices: a caller who did not ask for it must not see it. */
  isUsageOnly?: boolean;
  error?: unknown;
}

const nothing: EventFacts = { kind: "other", textBytes: 0 };
const damaged: EventFacts = { kind: "damaged", textBytes: 0 };
const done: EventFacts = { kind: "done", textBytes: 0 };
const textMembers = ["content", "reasoning_content", "reasoning", "refusal", "arguments"];

/** Reads one event. Only those with usage or an error are parsed; the rest is looked at as text. */
export function factsOf(event: string): EventFacts {
  // Nearly every event of every provider is a single data line: it is searched where it stands, without a copy.
  const isPlain = event.startsWith("data: ") && event.indexOf("\n") >= event.length - 2 && !event.includes("\r");
  const text = isPlain ? event : (eventData(event) ?? "");
  if (text === "") return nothing;
  const end = lastLetter(text);
  if (text.endsWith("[DONE]", end) && text.length < 20) return done;
  if (text[isPlain ? 6 : 0] !== "{" || text[end - 1] !== "}") return isBlank(text, isPlain) ? nothing : damaged;
  const hasUsage = text[valueStart(text, "usage")] === "{";
  // And nearly every delta begins with its text: one search and a few characters settle it.
  const delta = valueStart(text, "delta");
  const leading = delta >= 0 ? leadingText(text, delta) : 0;
  if (leading > 0 && !hasUsage) return { kind: "content", textBytes: leading };
  const textBytes = leading > 0 ? leading : textIn(text);
  if (!hasUsage && !hasErrorIn(text)) return textBytes > 0 ? { kind: "content", textBytes } : nothing;
  try {
    const data = JSON.parse(isPlain ? text.slice(6) : text) as { usage?: unknown; error?: unknown; choices?: unknown };
    const { usage, error, choices } = data;
    if (error !== undefined && error !== null) return { kind: "error", textBytes: 0, error };
    if (typeof usage !== "object" || usage === null) return { kind: textBytes > 0 ? "content" : "other", textBytes };
    const isUsageOnly = !Array.isArray(choices) || choices.length === 0;
    return { kind: "usage", textBytes: isUsageOnly ? 0 : textBytes, usage, isUsageOnly };
  } catch {
    return damaged;
  }
}

/** Data that is empty, as some providers send to keep a stream alive. */
const isBlank = (text: string, isPlain: boolean): boolean => (isPlain ? text.slice(6) : text).trim() === "";

/** The length without white space at the end. */
function lastLetter(text: string): number {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) <= 0x20) end -= 1;
  return end;
}

const opening = '{"content":';

/** Length of the text when the object at `delta` begins with a content string, else 0. */
function leadingText(data: string, delta: number): number {
  if (!data.startsWith(opening, delta)) return 0;
  const at = data[delta + opening.length] === " " ? delta + opening.length + 1 : delta + opening.length;
  return data[at] === '"' ? stringLength(data, at) : 0;
}

/**
 * Where the value of a member begins, wherever the member first stands, or -1. Inside a JSON string a quote is escaped,
 * so `name":` is always a member. The opening quote is left out of the search: JSON is full of quotes, and the search
 * would stop at each.
 */
function valueStart(data: string, name: string, from = 0): number {
  const member = `${name}":`;
  let at = data.indexOf(member, from);
  while (at > 0 && data[at - 1] !== '"') at = data.indexOf(member, at + 1);
  if (at < 0) return -1;
  const value = at + member.length;
  return data[value] === " " ? value + 1 : value;
}

/** An answer that gives its reason to stop has said everything. */
export const hasFinishReason = (event: string): boolean => event[valueStart(event, "finish_reason")] === '"';

/** The event with another model name, whatever the provider called it. */
export function withModel(event: string, model: string): string {
  const start = valueStart(event, "model");
  if (event[start] !== '"') return event;
  const end = event.indexOf('"', start + 1);
  return end < 0 ? event : event.slice(0, start) + JSON.stringify(model) + event.slice(end + 1);
}

const hasErrorIn = (data: string): boolean => {
  const at = valueStart(data, "error");
  return at >= 0 && data[at] !== "n";
};

function textIn(data: string): number {
  let bytes = 0;
  for (const member of textMembers) {
    for (let at = valueStart(data, member); at >= 0; at = valueStart(data, member, at)) {
      if (data[at] === '"') bytes += stringLength(data, at);
    }
  }
  return bytes;
}

/** Characters inside the JSON string that begins at `start`; an escape counts as one. */
function stringLength(data: string, start: number): number {
  let length = 0;
  for (let at = start + 1; at < data.length && data[at] !== '"'; at += 1) {
    if (data[at] === "\\") at += data[at + 1] === "u" ? 5 : 1;
    length += 1;
  }
  return length;
}
