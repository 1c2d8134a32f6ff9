/** What every splitter of a stream answers. */

/** The chunk, joined to what was left over, and where its whole events end. */
export interface StreamSplit {
  bytes: Buffer;
  ends: number[];
}

export const emptySplit: StreamSplit = { bytes: Buffer.alloc(0), ends: [] };

/** What came cannot be a stream of its kind, or not one that anybody should read. */
export class MalformedStream extends Error {
  /** Whole events that came in front of the damage, in the same piece. */
  readonly before: StreamSplit;
  constructor(message: string, before = emptySplit) {
    super(message);
    this.before = before;
  }
}

export interface StreamSplitter {
  /** Throws `StreamDamaged`. */
  push(chunk: Buffer): StreamSplit;
  /** What the end of the stream makes whole: a last event may lack its end. */
  end(): StreamSplit;
}

/** How a provider frames the events of a stream. Splitters of other framings rewrite them into server-sent events. */
export interface StreamFraming {
  contentType: string;
  /** `eventBytesMax` is for formats with longer events than the default. */
  splitter(eventBytesMax?: number): StreamSplitter;
}
