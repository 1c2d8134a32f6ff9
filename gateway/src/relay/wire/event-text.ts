/**
 * Reads the data of stream events as text: parsing each event would cost more than the rest of a
 * call.
 */

import { type JsonRecord, parseObject } from "./json-parts.ts";
import { findEventData } from "./sse-splitter.ts";

/** The data of an event. `from` and `end` delimit its JSON without surrounding whitespace. */
export interface EventText {
  text: string;
  from: number;
  end: number;
}

const dataField = "data: ";
/** Whitespace as JSON defines it. */
const whitespace = " \n\r\t";

/** Undefined for an event without data. */
export function findEventText(event: string): EventText | undefined {
  // Most events are a single data line and are searched in place, without a copy.
  const isPlain =
    event.startsWith(dataField) && event.indexOf("\n") >= event.length - 2 && !event.includes("\r");
  const text = isPlain ? event : (findEventData(event) ?? "");
  const end = trimLength(text);
  let from = isPlain ? dataField.length : 0;
  while (from < end && whitespace.includes(text.charAt(from))) from += 1;
  // Some providers send empty data to keep a stream alive.
  return end > from ? { text, from, end } : undefined;
}

/** The object in an event's data; empty for anything else. */
export function buildEventJson(event: string): JsonRecord {
  const seen = findEventText(event);
  return seen ? parseObject(seen.text.slice(seen.from, seen.end)) : {};
}

export const isObject = ({ text, from, end }: EventText): boolean =>
  text[from] === "{" && text[end - 1] === "}";

/** The length without trailing whitespace. */
function trimLength(text: string): number {
  let end = text.length;
  while (end > 0 && whitespace.includes(text.charAt(end - 1))) end -= 1;
  return end;
}

/**
 * The offset of a field's value at the field's first occurrence, or -1. Quotes inside JSON strings
 * are escaped, so `name":` is always a field. The search omits the opening quote, because it would
 * stop at every quote of the JSON.
 */
export function computeValueStart(data: string, name: string, from = 0): number {
  const member = `${name}":`;
  let at = data.indexOf(member, from);
  while (at > 0 && data[at - 1] !== '"') at = data.indexOf(member, at + 1);
  if (at < 0) return -1;
  const value = at + member.length;
  return data[value] === " " ? value + 1 : value;
}

/**
 * The offset of the value of a field of the object itself, wherever the field stands, or -1. Most
 * servers write the type of an event first, and nothing is searched; those that sort the members
 * write it behind others, which have types of their own.
 */
export function ownValueStart(data: string, name: string, from = 0): number {
  const first = computeValueStart(data, name, from);
  if (first < 0 || !hasNestingBefore(data, from + 1, first)) return first;
  let depth = 0;
  for (let at = from; at < data.length; at += 1) {
    const sign = data[at];
    if (sign === '"') {
      const end = computeStringEnd(data, at);
      if (depth === 1 && data.startsWith(`${name}":`, at + 1))
        return computeValueStart(data, name, at);
      at = end;
    } else if (sign === "{" || sign === "[") depth += 1;
    else if (sign === "}" || sign === "]") depth -= 1;
  }
  return -1;
}

function hasNestingBefore(data: string, from: number, end: number): boolean {
  const [object, list] = [data.indexOf("{", from), data.indexOf("[", from)];
  return (object >= 0 && object < end) || (list >= 0 && list < end);
}

/**
 * The offset of the quote that ends the string at `start`, or the length of text in which it does
 * not end.
 */
function computeStringEnd(data: string, start: number): number {
  let end = data.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(data, end)) end = data.indexOf('"', end + 1);
  return end < 0 ? data.length : end;
}

/** The strings of all these fields, joined. */
export function readText(data: string, members: readonly string[]): string {
  let text = "";
  for (const member of members) {
    for (
      let at = computeValueStart(data, member);
      at >= 0;
      at = computeValueStart(data, member, at)
    ) {
      if (data[at] === '"') text += readString(data, at);
    }
  }
  return text;
}

/** The JSON string that begins at `start`; an incomplete one as it stands. */
export function readString(data: string, start: number): string {
  const from = start + 1;
  let end = data.indexOf('"', from);
  if (end < 0) return data.slice(from);
  const plain = data.slice(from, end);
  if (!plain.includes("\\")) return plain;
  while (end >= 0 && isEscaped(data, end)) end = data.indexOf('"', end + 1);
  if (end < 0) return data.slice(from);
  try {
    return JSON.parse(data.slice(start, end + 1)) as string;
  } catch {
    return data.slice(from, end);
  }
}

/** `isEscaped` says whether an odd number of backslashes precedes. */
function isEscaped(data: string, at: number): boolean {
  let before = at;
  while (data[before - 1] === "\\") before -= 1;
  return (at - before) % 2 === 1;
}

/** The event with another model name. */
export function addModel(event: string, model: string, member = "model"): string {
  const start = computeValueStart(event, member);
  if (event[start] !== '"') return event;
  const end = event.indexOf('"', start + 1);
  return end < 0 ? event : event.slice(0, start) + JSON.stringify(model) + event.slice(end + 1);
}
