// The expected reading of a stream, slow and with everything in memory; the relay's own reader is
// compared with it.
import { memoize } from "./memoize.ts";
import type { StreamCase } from "./stream-cases.ts";
import type { EventMeaning } from "./stream-grammars.ts";

/** The data of events. `isDamaged`: reading stops at malformed data, and no more events follow. */
export interface ReferenceEvents {
  events: string[];
  isDamaged: boolean;
}

/**
 * The standard's reading of an event stream; at the end an event without its blank line counts as
 * well.
 */
export function readSse(
  bytes: Buffer,
  isEnded: boolean,
  eventBytesMax = Number.POSITIVE_INFINITY,
): ReferenceEvents {
  const text = bytes.toString("utf8");
  const stream = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const lines = stream.split(lineEnd);
  const events: string[] = [];
  let event: string[] = [];
  let begin = 0;
  let at = 0;
  const isTooLong = (): boolean =>
    bytes.length > eventBytesMax && Buffer.byteLength(stream.slice(begin, at)) > eventBytesMax;
  // Lines and line ends alternate.
  for (let n = 0; n < lines.length; n += 2) {
    const line = lines[n] as string;
    const end = lines[n + 1] ?? "";
    at += line.length + end.length;
    if (line !== "") event.push(line);
    const isOver = end === "" || line === "";
    if (isOver && isTooLong()) return { events, isDamaged: true };
    if (!isOver || (end === "" && !isEnded)) continue;
    const data = dataOf(event);
    if (data !== undefined) events.push(data);
    event = [];
    begin = at;
  }
  return { events, isDamaged: false };
}

const lineEnd = /(\r\n|\n|\r)/;

function dataOf(lines: readonly string[]): string | undefined {
  const values: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon < 0 || line.slice(0, colon) !== "data") continue;
    const value = line.slice(colon + 1);
    values.push(value.startsWith(" ") ? value.slice(1) : value);
  }
  return values.length === 0 ? undefined : values.join("\n");
}

/** CRC-32, as in zip and PNG, bit by bit for each possible byte. */
const checksums = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function checksum(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (checksums[(crc ^ byte) & 255] as number);
  return (crc ^ 0xffffffff) >>> 0;
}

const frameBytesMax = 1024 * 1024;

/** Amazon's event stream frames: headers by name, and payloads. */
function readFrames(bytes: Buffer): {
  frames: { headers: Map<string, string>; payload: string }[];
  isDamaged: boolean;
} {
  const frames: { headers: Map<string, string>; payload: string }[] = [];
  let remaining = bytes;
  while (remaining.length >= 12) {
    const length = remaining.readUInt32BE(0);
    const headersLength = remaining.readUInt32BE(4);
    if (checksum(remaining.subarray(0, 8)) !== remaining.readUInt32BE(8))
      return { frames, isDamaged: true };
    if (length > frameBytesMax || headersLength + 16 > length) return { frames, isDamaged: true };
    if (remaining.length < length) break;
    const frame = remaining.subarray(0, length);
    if (checksum(frame.subarray(0, length - 4)) !== frame.readUInt32BE(length - 4))
      return { frames, isDamaged: true };
    const headers = readHeaders(frame.subarray(12, 12 + headersLength));
    if (!headers) return { frames, isDamaged: true };
    frames.push({ headers, payload: frame.toString("utf8", 12 + headersLength, length - 4) });
    remaining = remaining.subarray(length);
  }
  return { frames, isDamaged: false };
}

/** Headers of type text only: the cases have no other valid ones. */
function readHeaders(bytes: Buffer): Map<string, string> | undefined {
  const headers = new Map<string, string>();
  let remaining = bytes;
  while (remaining.length > 0) {
    const nameLength = remaining[0] as number;
    const textAt = 1 + nameLength + 3;
    if (remaining.length < textAt || remaining[1 + nameLength] !== 7) return undefined;
    const textLength = remaining.readUInt16BE(1 + nameLength + 1);
    if (remaining.length < textAt + textLength) return undefined;
    headers.set(
      remaining.toString("utf8", 1, 1 + nameLength),
      remaining.toString("utf8", textAt, textAt + textLength),
    );
    remaining = remaining.subarray(textAt + textLength);
  }
  return headers;
}

function readAws(bytes: Buffer, wire: "converse" | "invoke"): ReferenceEvents {
  const { frames, isDamaged } = readFrames(bytes);
  const events = frames.flatMap(({ headers, payload }): string[] => {
    if (headers.get(":message-type") === "exception") return ['{"type":"error","error":{}}'];
    if (wire === "converse")
      return [`{${JSON.stringify(headers.get(":event-type") ?? "")}:${payload}}`];
    const inner = jsonIn(payload)?.bytes;
    return typeof inner === "string"
      ? [
          Buffer.from(inner, "base64")
            .toString("utf8")
            .replaceAll(/[\r\n]/g, " "),
        ]
      : [];
  });
  return { events, isDamaged };
}

type ReferenceJson = Readonly<Record<string, unknown>>;

const parsed = memoize((text): { json: ReferenceJson | undefined } => {
  try {
    const value: unknown = JSON.parse(text);
    return {
      json:
        typeof value === "object" && value !== null && !Array.isArray(value)
          ? (value as ReferenceJson)
          : undefined,
    };
  } catch {
    return { json: undefined };
  }
});
const jsonIn = (text: string): ReferenceJson | undefined => parsed(text).json;

export type ExpectedEnding = "success" | "cut" | "error";

export interface ExpectedStream {
  /**
   * The data of the events that the client receives, in order. An event that is not sure may be
   * missing.
   */
  events: { data: string; isSure: boolean }[];
  endings: ExpectedEnding[];
  /** Undefined when unknown. */
  text: string | undefined;
  /** `isExact` where the provider counted both sides and no content came after it. */
  usage: { input: number; output: number; isExact: boolean } | undefined;
}

export function readStream({
  grammar: { wire },
  bytes,
  isBroken,
  eventBytesMax,
}: StreamCase): ReferenceEvents {
  if (wire !== "events") return readAws(bytes, wire);
  // A CR after a CRLF may be the first half of another one that a broken connection never sent.
  const hasHalf = isBroken && bytes.toString("latin1", bytes.length - 3) === "\r\n\r";
  return readSse(hasHalf ? bytes.subarray(0, -1) : bytes, !isBroken, eventBytesMax);
}

/** Events before the first word that exceed this size are sent on unchanged. */
const earlyBytesMax = 64 * 1024;

export function expectedOf(stream: StreamCase): ExpectedStream {
  const { grammar, bytes, isBroken, wantsUsage, rename } = stream;
  const read = readStream(stream);
  const expected: ExpectedStream = { events: [], endings: [], text: "", usage: undefined };
  const state = { input: 0, output: 0 };
  let hasWords = false;
  let mayHaveWords = bytes.length > earlyBytesMax;
  let isLast = false;
  /** An end alone is no answer: before it came words, or a reason to end without any. */
  let hasReason = false;
  let mayBeLast = false;
  const atItsEnd = (): ExpectedEnding[] => {
    if (hasWords || hasReason) return ["success"];
    return mayHaveWords || mayBeLast ? ["success", "error"] : ["error"];
  };
  for (const data of read.events) {
    const reported = data.trim();
    if (reported === "") continue;
    if (reported === "[DONE]" && grammar.done === "[DONE]") {
      expected.events.push({ data: reported, isSure: true });
      return { ...expected, endings: atItsEnd() };
    }
    const json = jsonIn(reported);
    if (!json) {
      if (!reported.startsWith("{") || !reported.endsWith("}") || !grammar.mayPass(reported))
        continue;
      expected.events.push({ data: renamed(reported, rename), isSure: false });
      mayHaveWords = true;
      mayBeLast ||= reported.includes("finish_reason");
      expected.text = undefined;
      continue;
    }
    const meaning: EventMeaning = grammar.mean(json, state, wantsUsage);
    // The chunk of the first words decides whether another channel may still take over.
    if (meaning.isError)
      return { ...expected, endings: hasWords || mayHaveWords ? ["cut", "error"] : ["error"] };
    if (!meaning.isHidden) expected.events.push({ data: renamed(reported, rename), isSure: true });
    hasWords ||= (meaning.text ?? "") !== "";
    if (expected.text !== undefined) expected.text += meaning.words ?? meaning.text ?? "";
    if (expected.usage && meaning.text) expected.usage.isExact = false;
    if (meaning.usage)
      expected.usage = {
        ...meaning.usage,
        isExact: meaning.usage.input > 0 && meaning.usage.output > 0,
      };
    isLast ||= meaning.isLast ?? false;
    hasReason ||= ((meaning.isLast || meaning.isDone) && !meaning.isEmptyEnd) ?? false;
    if (meaning.isDone) return { ...expected, endings: atItsEnd() };
  }
  const unfinished: ExpectedEnding[] = [hasWords ? "cut" : "error"];
  if (!hasWords && mayHaveWords) unfinished.push("cut");
  if (isBroken || read.isDamaged) return { ...expected, endings: unfinished };
  if (isLast) return { ...expected, endings: atItsEnd() };
  return { ...expected, endings: mayBeLast ? [...unfinished, "success"] : unfinished };
}

/** The requested model's name replaces the upstream's name at its first occurrence. */
const renamed = (data: string, rename: readonly [from: string, to: string] | undefined): string =>
  rename ? data.replace(rename[0], rename[1]) : data;
