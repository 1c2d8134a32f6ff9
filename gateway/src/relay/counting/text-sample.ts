/** Enough of a text to count its tokens by: all of it while it is short, else blocks that are spread evenly over it. */

/** In characters. Four thousand tokens of English are counted to the last one; of more text half of this at least. */
const blockLength = 1_024;
const blocksMax = 16;
/** So many pieces become one string, which no longer holds on to the events that they were cut from. */
const piecesMax = 16;

/** What is counted, and the length of the text that it stands for. */
export interface SampledText {
  parts: string[];
  /** Characters of the whole text. */
  length: number;
}

/** Whether it leaves anything out. */
export const isPartial = ({ parts, length }: SampledText): boolean =>
  parts.reduce((sum, part) => sum + part.length, 0) < length;

export function sampleOf(text: string): SampledText {
  const sample = new TextSample();
  sample.push(text);
  return sample.read();
}

/** The same text gives the same sample, in however many pieces it comes: streams and whole answers cost the same. */
export class TextSample {
  #length = 0;
  #blocks: string[] = [];
  /** Every so many blocks one is kept. */
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
    this.#blocks = this.#blocks.filter((_, place) => place % 2 === 0);
    this.#stride *= 2;
  }
}
