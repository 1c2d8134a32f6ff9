/** The common parts of stream splitters. */

/** The pending bytes with the chunk, and where whole events end in them. */
export interface StreamSplit {
  bytes: Buffer;
  ends: number[];
}

export const emptySplit: StreamSplit = { bytes: Buffer.alloc(0), ends: [] };

/** The events from the one at `index` on, which begins at `start`. */
export const splitAfter = (
  { bytes, ends }: StreamSplit,
  start: number,
  index: number,
): StreamSplit => ({
  bytes: bytes.subarray(start),
  ends: ends.slice(index).map((end) => end - start),
});

/** The bytes are no valid stream of their kind, or one that is unsafe to read. */
export class MalformedStream extends Error {
  /** Whole events before the fault, from the same chunk. */
  readonly before: StreamSplit;
  constructor(message: string, before = emptySplit) {
    super(message);
    this.before = before;
  }
}

export interface StreamSplitter {
  /** Throws `MalformedStream`. */
  push(chunk: Buffer): StreamSplit;
  /** Completes a last event that lacks its end. */
  end(): StreamSplit;
}

/**
 * `StreamFraming` says how a provider frames the events of a stream. Splitters of other framings
 * rewrite them into server-sent events.
 */
export interface StreamFraming {
  contentType: string;
  /** `eventBytesMax` is for formats with longer events than the default. */
  splitter(eventBytesMax?: number): StreamSplitter;
}
