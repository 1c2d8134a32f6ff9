/** Finds the top-level fields of a JSON object in its bytes, so that one can be replaced without re-serialising. */

export interface JsonSpan {
  key: string;
  /** Byte offset of the quote before the key. */
  keyStart: number;
  /** Byte offsets of the value, end exclusive. */
  start: number;
  end: number;
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const colon = 0x3a;
const comma = 0x2c;

/** `bytes` must hold a valid JSON object (it was parsed before). */
export function topLevelSpans(bytes: Buffer): JsonSpan[] {
  const spans: JsonSpan[] = [];
  let at = bytes.indexOf(openBrace) + 1;
  while (at < bytes.length) {
    at = skipSpace(bytes, at);
    if (bytes[at] === closeBrace) break;
    const keyStart = at;
    const keyEnd = stringEnd(bytes, at);
    const key = JSON.parse(bytes.toString("utf8", at, keyEnd)) as string;
    at = skipSpace(bytes, keyEnd);
    if (bytes[at] !== colon) break;
    const start = skipSpace(bytes, at + 1);
    const end = valueEnd(bytes, start);
    spans.push({ key, keyStart, start, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === comma) at += 1;
  }
  return spans;
}

/** The bytes with some top-level values replaced (every field of that name) and missing ones added in front. */
export function withMembers(bytes: Buffer, members: Readonly<Record<string, string>>): Buffer {
  const wanted = new Map(Object.entries(members));
  const spans = topLevelSpans(bytes);
  const parts: Buffer[] = [];
  const missing = [...wanted].filter(([key]) => !spans.some((span) => span.key === key));
  let copied = bytes.indexOf(openBrace) + 1;
  parts.push(bytes.subarray(0, copied));
  if (missing.length > 0) {
    const added = missing.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",");
    parts.push(Buffer.from(spans.length > 0 ? `${added},` : added));
  }
  for (const { key, start, end } of spans) {
    const value = wanted.get(key);
    if (value === undefined) continue;
    parts.push(bytes.subarray(copied, start), Buffer.from(value));
    copied = end;
  }
  parts.push(bytes.subarray(copied));
  return Buffer.concat(parts);
}

/** The bytes without the top-level fields of these names. */
export function withoutMembers(bytes: Buffer, names: readonly string[]): Buffer {
  const kept = topLevelSpans(bytes).filter(({ key }) => !names.includes(key));
  const fields = kept.map(({ keyStart, end }) => bytes.toString("utf8", keyStart, end));
  return Buffer.from(`{${fields.join(",")}}`);
}

/** What one pass over the text of a JSON value tells, without parsing it. */
export interface JsonOutline {
  /** Levels of objects and arrays; one more than the limit where there are more. */
  depth: number;
  /** Members of all objects, at any depth, as they are written: a repeated one counts each time. */
  members: number;
}

/**
 * Stops at the first level beyond `depthMax`. Takes the decoded text, which is searched from quote to quote in less than half of the
 * time that its bytes take.
 */
export function outlineOf(json: string, depthMax = Number.POSITIVE_INFINITY): JsonOutline {
  const outline = { depth: 0, members: 0 };
  let open = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) at = textEnd(json, at);
    else if (code === colon) outline.members += 1;
    else if (code === openBrace || code === openBracket) {
      open += 1;
      if (open > outline.depth) outline.depth = open;
      if (open > depthMax) break;
    } else if (code === closeBrace || code === closeBracket) open -= 1;
  }
  return outline;
}

/** Levels of JSON that are accepted. Deeper than any provider accepts; deeper nesting would only exhaust the stack. */
export const jsonDepthMax = 100;

/** Whether objects and arrays nest deeper than `max` levels; strings are skipped. */
export const isNestedDeeperThan = (json: string, max: number): boolean => outlineOf(json, max).depth > max;

/**
 * Whether an object of the text, at any depth, has one member twice: parsers disagree on which of them counts. `value` is what the text
 * was parsed to, and nests no deeper than the stack bears.
 */
export const hasRepeatedMember = (json: string, value: unknown): boolean =>
  outlineHasRepetition(outlineOf(json), value);

export const outlineHasRepetition = ({ members }: JsonOutline, value: unknown): boolean => members !== membersOf(value);

function membersOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const part of value) count += membersOf(part);
  else
    for (const part of Object.values(value)) {
      count += 1;
      if (typeof part === "object") count += membersOf(part);
    }
  return count;
}

/** The offset of the quote that ends the string at `start`. */
function textEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let slashes = 0;
    while (json.charCodeAt(end - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return json.length;
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[at])
    at += 1;
  return at;
}

/** The offset after the string that begins at `start`. */
function stringEnd(bytes: Buffer, start: number): number {
  let end = bytes.indexOf(quote, start + 1);
  while (end >= 0) {
    let slashes = 0;
    while (bytes[end - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return end + 1;
    end = bytes.indexOf(quote, end + 1);
  }
  return bytes.length;
}

function valueEnd(bytes: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) {
      at = stringEnd(bytes, at);
      if (depth === 0) return at;
      continue;
    }
    if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return trimmedEnd(bytes, start, at);
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (byte === comma && depth === 0) return trimmedEnd(bytes, start, at);
    at += 1;
  }
  return at;
}

function trimmedEnd(bytes: Buffer, start: number, end: number): number {
  let at = end;
  for (
    let byte = bytes[at - 1];
    at > start && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);
    byte = bytes[at - 1]
  ) {
    at -= 1;
  }
  return at;
}
