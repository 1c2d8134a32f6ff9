/**
 * Splits a stream of server-sent events into whole events, whatever the chunks and line endings
 * (LF, CRLF, CR). Events are slices of the original bytes, blank line included.
 */

import {
  emptySplit,
  MalformedStream,
  type StreamFraming,
  type StreamSplit,
  type StreamSplitter,
} from "./stream-splitter.ts";

const lf = 0x0a;
const cr = 0x0d;

/** A larger event ends the stream: nothing legitimate comes near it. */
export const eventBytesMax = 1024 * 1024;

export class SseSplitter implements StreamSplitter {
  /** The incomplete event at the end of the bytes so far. */
  #pending: Buffer = Buffer.alloc(0);
  /** `#searched` says how far `#pending` has been searched for its end. */
  #searched = 0;
  /**
   * Chunks after `#pending` without a line end: a long event is joined once, when it is complete.
   */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** A CR that ended the last event may be followed by its LF in the next chunk. */
  #afterCr = false;
  readonly #eventBytesMax: number;

  constructor(max = eventBytesMax) {
    this.#eventBytesMax = max;
  }

  /** Bytes of the incomplete event. */
  get pendingBytes(): number {
    return this.#pending.length + this.#waitingBytes;
  }

  /**
   * The pending bytes with the chunk, and where events end in them. `bytes.subarray(0,
   * ends.at(-1))` are whole events.
   */
  push(chunk: Buffer): StreamSplit {
    const cut = this.#cut(chunk);
    this.#refuseEndless(cut);
    return cut;
  }

  #cut(chunk: Buffer): StreamSplit {
    let fresh = chunk;
    if (this.#afterCr && chunk.length > 0) {
      this.#afterCr = false;
      if (chunk[0] === lf) fresh = chunk.subarray(1);
    }
    if (
      this.#pending.length > 0 &&
      !this.#isOpenEnd() &&
      !fresh.includes(lf) &&
      !fresh.includes(cr)
    ) {
      return this.#wait(fresh);
    }
    const bytes =
      this.#pending.length === 0 ? fresh : Buffer.concat([this.#pending, ...this.#waiting, fresh]);
    this.#waiting = [];
    this.#waitingBytes = 0;
    const ends = listEventEnds(bytes, this.#searched);
    const last = ends.at(-1) ?? 0;
    if (last > 0 && last === bytes.length && bytes[last - 1] === cr) this.#afterCr = true;
    this.#pending = last === bytes.length ? empty : readTail(bytes, last);
    // The blank line may begin in the last three bytes and end in the next chunk.
    this.#searched = Math.max(0, this.#pending.length - 3);
    return { bytes, ends };
  }

  /** A trailing CR is a line end of its own or half of one: the next byte decides. */
  #isOpenEnd(): boolean {
    return this.#waitingBytes === 0 && this.#pending.at(-1) === cr;
  }

  #wait(fresh: Buffer): StreamSplit {
    this.#waiting.push(fresh);
    this.#waitingBytes += fresh.length;
    return emptySplit;
  }

  /** An event that arrived in one chunk is refused like one that grew. */
  #refuseEndless({ bytes, ends }: StreamSplit): void {
    const max = this.#eventBytesMax;
    const tooLong =
      bytes.length > max ? ends.findIndex((end, at) => end - (ends[at - 1] ?? 0) > max) : -1;
    if (tooLong < 0 && this.pendingBytes <= max) return;
    const before = { bytes, ends: tooLong < 0 ? ends : ends.slice(0, tooLong) };
    throw new MalformedStream(`an event of more than ${max} bytes`, before);
  }

  /** The last event may lack its blank line. */
  end(): StreamSplit {
    return this.pendingBytes === 0 ? emptySplit : this.#cut(blankLine);
  }
}

export const serverSentEvents: StreamFraming = {
  contentType: "text/event-stream",
  splitter: (eventBytesMax) => new SseSplitter(eventBytesMax),
};

const blankLine = Buffer.from("\n\n");

const empty = Buffer.alloc(0);

/**
 * The slice of a chunk keeps all of it in memory until the next one comes: of 200 streams at full
 * speed 13 MB.
 */
const slicedBytesMax = 16 * 1024;

function readTail(bytes: Buffer, from: number): Buffer {
  const tail = bytes.subarray(from);
  return bytes.length > slicedBytesMax && tail.length < slicedBytesMax / 4
    ? Buffer.from(tail)
    : tail;
}

/** Offsets after each blank line, searching from `from`. */
function listEventEnds(bytes: Buffer, from: number): number[] {
  const ends: number[] = [];
  const hasCr = bytes.includes(cr, from);
  let at = from;
  while (at < bytes.length) {
    const end = hasCr ? computeBlankLineEnd(bytes, at) : computePlainBlankLineEnd(bytes, at);
    if (end < 0) break;
    ends.push(end);
    at = end;
  }
  return ends;
}

function computePlainBlankLineEnd(bytes: Buffer, from: number): number {
  const at = bytes.indexOf("\n\n", from, "latin1");
  return at < 0 ? -1 : at + 2;
}

/** The end of the next two line ends in a row, where CRLF counts as one. */
function computeBlankLineEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const first = computeLineEndLength(bytes, at);
    if (first === 0) continue;
    // After a CRLF, a trailing CR is half of another one whose LF has not arrived.
    const isHalf = first === 2 && bytes[at + first] === cr && at + first + 1 === bytes.length;
    const second = isHalf ? 0 : computeLineEndLength(bytes, at + first);
    if (second > 0) return at + first + second;
    at += first - 1;
  }
  return -1;
}

function computeLineEndLength(bytes: Buffer, at: number): number {
  if (bytes[at] === lf) return 1;
  if (bytes[at] !== cr) return 0;
  return bytes[at + 1] === lf ? 2 : 1;
}

/** An event's `data` lines joined by LF; undefined for an event without any. */
export function findEventData(event: string): string | undefined {
  let data: string | undefined;
  for (const line of event.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/)) {
    if (!line.startsWith("data:")) continue;
    const value = line.slice(line[5] === " " ? 6 : 5);
    data = data === undefined ? value : `${data}\n${value}`;
  }
  return data;
}
