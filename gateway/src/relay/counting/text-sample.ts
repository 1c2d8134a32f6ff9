/**
 * A sample of a text that suffices to count its tokens: all of a short text, evenly spread blocks
 * of a longer one.
 */

/**
 * `blockLength` is in characters. Up to four thousand tokens of English are counted exactly; of a
 * longer text at least half of that.
 */
const blockLength = 1_024;
const blocksMax = 16;
/**
 * `piecesMax` is the number of pieces that are joined into one string, which releases the events
 * that they were cut from.
 */
const piecesMax = 16;

/** The sampled parts, and the length of the text that they represent. */
export interface SampledText {
  parts: string[];
  /** Characters of the whole text. */
  length: number;
}

/** `isPartial` says whether the sample omits anything. */
export const isPartial = ({ parts, length }: SampledText): boolean =>
  parts.reduce((sum, part) => sum + part.length, 0) < length;

export function sampleText(text: string): SampledText {
  const sample = new TextSample();
  sample.push(text);
  return sample.read();
}

/**
 * `TextSample` is the same text gives the same sample however it is divided, so streams and whole
 * responses cost the same.
 */
export class TextSample {
  #length = 0;
  #blocks: string[] = [];
  /** Every nth block is kept. */
  #stride = 1;
  #block = 0;
  #blockFilled = 0;
  #pieces: string[] = [];

  push(text: string): void {
    this.#length += text.length;
    for (let from = 0; from < text.length; ) {
      const to = Math.min(text.length, from + blockLength - this.#blockFilled);
      if (this.#isKept()) this.#keep(text.slice(from, to));
      this.#blockFilled += to - from;
      if (this.#blockFilled === blockLength) this.#closeBlock();
      from = to;
    }
  }

  read(): SampledText {
    const begun = this.#pieces.join("");
    const parts = this.#stride === 1 ? [this.#blocks.join("") + begun] : [...this.#blocks, begun];
    return { parts: parts.filter((part) => part !== ""), length: this.#length };
  }

  #isKept(): boolean {
    return this.#block % this.#stride === 0;
  }

  #keep(piece: string): void {
    if (this.#pieces.push(piece) === piecesMax) this.#pieces = [this.#pieces.join("")];
  }

  #closeBlock(): void {
    if (this.#isKept()) this.#blocks.push(this.#pieces.join(""));
    this.#pieces = [];
    this.#block += 1;
    this.#blockFilled = 0;
    if (this.#blocks.length < blocksMax) return;
    this.#blocks = this.#blocks.filter((_, index) => index % 2 === 0);
    this.#stride *= 2;
  }
}
