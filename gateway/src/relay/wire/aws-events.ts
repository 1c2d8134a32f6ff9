/**
 * Rewrites Amazon's binary event streams (`application/vnd.amazon.eventstream`) into server-sent
 * events as they arrive. A message is a prelude of 12 bytes (total length, length of the headers, a
 * checksum of both), headers, a payload and a checksum of everything.
 */
import { crc32 } from "node:zlib";
import { eventBytesMax } from "./sse-splitter.ts";
import {
  emptySplit,
  MalformedStream,
  type StreamSplit,
  type StreamSplitter,
} from "./stream-splitter.ts";

export interface AwsEventMessage {
  /** Text headers only: they are all that identify a message. */
  headers: ReadonlyMap<string, string>;
  payload: Buffer;
}

const preludeBytes = 12;
const checksumBytes = 4;

/** `written` returns the event for a message, blank line included, or an empty text for none. */
export class AwsEventSplitter implements StreamSplitter {
  readonly #written: (message: AwsEventMessage) => string;
  /** The incomplete message at the end of the bytes so far. */
  #pending: Buffer = Buffer.alloc(0);

  constructor(written: (message: AwsEventMessage) => string) {
    this.#written = written;
  }

  push(chunk: Buffer): StreamSplit {
    const bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const events: Buffer[] = [];
    const ends: number[] = [];
    let end = 0;
    let at = 0;
    const cut = (): StreamSplit => ({ bytes: Buffer.concat(events, end), ends });
    try {
      for (
        let length = computeMessageLength(bytes, at);
        length <= bytes.length - at;
        length = computeMessageLength(bytes, at)
      ) {
        const event = Buffer.from(this.#written(buildMessage(bytes.subarray(at, at + length))));
        at += length;
        if (event.length === 0) continue;
        events.push(event);
        end += event.length;
        ends.push(end);
      }
    } catch (error) {
      throw error instanceof MalformedStream ? new MalformedStream(error.message, cut()) : error;
    }
    this.#pending = bytes.subarray(at);
    return cut();
  }

  /** An incomplete message yields no event. */
  end(): StreamSplit {
    return emptySplit;
  }
}

/**
 * The length of the message that begins at `at`; infinite until it has arrived. Throws
 * `MalformedStream`.
 */
function computeMessageLength(bytes: Buffer, at: number): number {
  if (bytes.length - at < preludeBytes) return Number.POSITIVE_INFINITY;
  const length = bytes.readUInt32BE(at);
  const headersLength = bytes.readUInt32BE(at + 4);
  // Verified before it is used: a corrupt length would wait for bytes that never arrive.
  if (crc32(bytes.subarray(at, at + 8)) !== bytes.readUInt32BE(at + 8))
    throw buildMalformed("its prelude is damaged");
  if (length > eventBytesMax)
    throw new MalformedStream(`an event of more than ${eventBytesMax} bytes`);
  if (preludeBytes + headersLength + checksumBytes > length)
    throw buildMalformed("its headers are longer than itself");
  return length;
}

function buildMessage(bytes: Buffer): AwsEventMessage {
  const end = bytes.length - checksumBytes;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end))
    throw buildMalformed("its checksum is wrong");
  const headersEnd = preludeBytes + bytes.readUInt32BE(4);
  return {
    headers: parseHeaders(bytes.subarray(preludeBytes, headersEnd)),
    payload: bytes.subarray(headersEnd, end),
  };
}

/** Bytes of a value by its type; the two types above carry their length. */
const bytesType = 6;
const textType = 7;
const valueBytes: Readonly<Record<number, number>> = {
  0: 0,
  1: 0,
  2: 1,
  3: 2,
  4: 4,
  5: 8,
  8: 8,
  9: 16,
};

/** Each header is the length of its name, the name, a type and a value. */
function parseHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  /** The offset of the next bytes. */
  const passed = (length: number): number => {
    if (at + length > bytes.length) throw buildMalformed("a header is longer than all of them");
    at += length;
    return at - length;
  };
  while (at < bytes.length) {
    const nameLength = bytes.readUInt8(passed(1));
    const nameAt = passed(nameLength);
    const type = bytes.readUInt8(passed(1));
    const hasLength = type === bytesType || type === textType;
    const length = hasLength ? bytes.readUInt16BE(passed(2)) : valueBytes[type];
    if (length === undefined) throw buildMalformed(`a header is of the unknown type ${type}`);
    const valueAt = passed(length);
    if (type !== textType) continue;
    headers.set(
      bytes.toString("utf8", nameAt, nameAt + nameLength),
      bytes.toString("utf8", valueAt, at),
    );
  }
  return headers;
}

const buildMalformed = (why: string): MalformedStream =>
  new MalformedStream(`a message of the stream cannot be read: ${why}`);
