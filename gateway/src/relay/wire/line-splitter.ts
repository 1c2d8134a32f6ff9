/** Cuts bytes that arrive in pieces into lines, as JSONL files have them. */

const lineFeed = 0x0a;

/** A line is longer than the reader accepts. */
export class LineTooLong extends Error {}

export class LineSplitter {
  readonly #bytesMax: number;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The lines that end in this piece, without empty ones. Throws `LineTooLong`. */
  push(piece: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let from = 0;
    for (let at = piece.indexOf(lineFeed); at >= 0; at = piece.indexOf(lineFeed, from)) {
      this.#hold(piece.subarray(from, at));
      lines.push(...this.end());
      from = at + 1;
    }
    this.#hold(piece.subarray(from));
    return lines;
  }

  /** The line without an end, if there is one. */
  end(): Buffer[] {
    const line =
      this.#held.length === 1
        ? (this.#held[0] as Buffer)
        : Buffer.concat(this.#held, this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    return isBlank(line) ? [] : [line];
  }

  #hold(bytes: Buffer): void {
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > this.#bytesMax)
      throw new LineTooLong(`a line is longer than ${this.#bytesMax} bytes`);
    if (bytes.length > 0) this.#held.push(bytes);
  }
}

const isBlank = (line: Buffer): boolean =>
  line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
