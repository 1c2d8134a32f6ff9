/**
 * Finds the top-level fields of a JSON object in its bytes, so that one can be replaced without
 * re-serialising.
 */

/** Byte offsets of a value, end exclusive. */
export interface ByteSpan {
  start: number;
  end: number;
}

export interface JsonSpan extends ByteSpan {
  key: string;
  /** Byte offset of the quote before the key. */
  keyStart: number;
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
export const listTopLevelSpans = (bytes: Buffer): JsonSpan[] => [...buildEachTopLevelSpan(bytes)];

function* buildEachTopLevelSpan(bytes: Buffer): Generator<JsonSpan> {
  let at = bytes.indexOf(openBrace) + 1;
  while (at < bytes.length) {
    at = skipSpace(bytes, at);
    if (bytes[at] === closeBrace) break;
    const keyStart = at;
    const keyEnd = computeStringEnd(bytes, at);
    const key = readKey(bytes, at, keyEnd);
    at = skipSpace(bytes, keyEnd);
    if (bytes[at] !== colon) break;
    const start = skipSpace(bytes, at + 1);
    const end = computeValueEnd(bytes, start);
    yield { key, keyStart, start, end };
    at = skipSpace(bytes, end);
    if (bytes[at] === comma) at += 1;
  }
}

/** The values of an array, which must be valid JSON as well. */
export function listElements(bytes: Buffer): ByteSpan[] {
  const elements: ByteSpan[] = [];
  let at = bytes.indexOf(openBracket) + 1;
  while (at < bytes.length) {
    const start = skipSpace(bytes, at);
    if (start >= bytes.length || bytes[start] === closeBracket) break;
    const end = computeValueEnd(bytes, start);
    elements.push({ start, end });
    at = skipSpace(bytes, end) + 1;
  }
  return elements;
}

/**
 * A top-level text among the first bytes of a JSON object, which may break off anywhere; undefined
 * where it is not among them.
 */
export function findLeadingText(bytes: Buffer, name: string): string | undefined {
  try {
    for (const { key, start, end } of buildEachTopLevelSpan(bytes)) {
      if (key !== name || end === bytes.length) continue;
      const value: unknown = JSON.parse(bytes.toString("utf8", start, end));
      return typeof value === "string" ? value : undefined;
    }
  } catch {
    // It breaks off in a name, or is no JSON.
  }
  return undefined;
}

/**
 * The bytes with some top-level values replaced (every field of that name) and missing ones added
 * in front.
 */
export function addMembers(bytes: Buffer, members: Readonly<Record<string, string>>): Buffer {
  const wanted = new Map(Object.entries(members));
  const spans = listTopLevelSpans(bytes);
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
export function stripMembers(bytes: Buffer, names: readonly string[]): Buffer {
  const fields: string[] = [];
  /** Fields that stay side by side are copied as one: objects may have a hundred thousand. */
  let keptFrom: number | undefined;
  let keptTo = 0;
  const copyKept = (): void => {
    if (keptFrom !== undefined) fields.push(bytes.toString("utf8", keptFrom, keptTo));
    keptFrom = undefined;
  };
  for (const { key, keyStart, end } of buildEachTopLevelSpan(bytes)) {
    if (names.includes(key)) {
      copyKept();
    } else {
      keptFrom ??= keyStart;
      keptTo = end;
    }
  }
  copyKept();
  return Buffer.from(`{${fields.join(",")}}`);
}

/**
 * Names with an escape are rare, and parsing each one is most of the cost of an object with many.
 */
function readKey(bytes: Buffer, start: number, end: number): string {
  const key = bytes.toString("utf8", start + 1, end - 1);
  return key.includes("\\") ? (JSON.parse(`"${key}"`) as string) : key;
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  for (
    let byte = bytes[at];
    byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
    byte = bytes[at]
  )
    at += 1;
  return at;
}

/**
 * Bytes after a quote inside a string that are read one by one: a search costs as much, and strings
 * may be full of quotes.
 */
const afterQuoteLength = 64;

/** The offset after the string that begins at `start`. */
function computeStringEnd(bytes: Buffer, start: number): number {
  for (let from = start + 1; ; ) {
    const end = bytes.indexOf(quote, from);
    if (end < 0) return bytes.length;
    let slashes = 0;
    while (bytes[end - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return end + 1;
    from = end + 1;
    for (const until = Math.min(bytes.length, from + afterQuoteLength); from < until; from += 1) {
      if (bytes[from] === backslash) from += 1;
      else if (bytes[from] === quote) return from + 1;
    }
  }
}

function computeValueEnd(bytes: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) {
      at = computeStringEnd(bytes, at);
      if (depth === 0) return at;
      continue;
    }
    if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return trimEnd(bytes, start, at);
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (byte === comma && depth === 0) return trimEnd(bytes, start, at);
    at += 1;
  }
  return at;
}

function trimEnd(bytes: Buffer, start: number, end: number): number {
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

/**
 * The bytes with one member at the end of a path replaced, or removed where `value` is undefined;
 * others keep their bytes.
 */
export function withMember(
  bytes: Buffer,
  path: readonly string[],
  value: string | undefined,
): Buffer {
  const [name = "", ...rest] = path;
  if (rest.length === 0)
    return value === undefined ? stripMembers(bytes, [name]) : addMembers(bytes, { [name]: value });
  const span = listTopLevelSpans(bytes).find(({ key }) => key === name);
  if (!span || bytes[span.start] !== openBrace) return bytes;
  const inner = withMember(bytes.subarray(span.start, span.end), rest, value);
  return Buffer.concat([bytes.subarray(0, span.start), inner, bytes.subarray(span.end)]);
}
