/** What every splitter of a stream answers. */

/** The chunk, joined to what was left over, and where its whole events end. */
export interface Cut {
  bytes: Buffer;
  ends: number[];
}

export const nothingCut: Cut = { bytes: Buffer.alloc(0), ends: [] };

/** What came cannot be a stream of its kind, or not one that anybody should read. */
export class StreamDamaged extends Error {
  /** Whole events that came in front of the damage, in the same piece. */
  readonly before: Cut;
  constructor(message: string, before = nothingCut) {
    super(message);
    this.before = before;
  }
}

export interface Splitter {
  /** Throws `StreamDamaged`. */
  push(chunk: Buffer): Cut;
  /** What the end of the stream makes whole: a last event may lack its end. */
  end(): Cut;
}
