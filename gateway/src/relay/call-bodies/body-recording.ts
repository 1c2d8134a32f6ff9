/** A recording of the answer that a client receives, as far as it is kept: text up to a bound. */
import type { AnswerRecorder } from "../answer-recorder.ts";

/**
 * `keptBytesMax` is for a request, and for an answer: longer than the longest context in plain
 * text.
 */
export const keptBytesMax = 6 * 1024 * 1024;

export interface RecordedText {
  bytes: Buffer;
  type: string;
  isCut: boolean;
}

const textType = /json|text|event-stream|xml/;

export class BodyRecording implements AnswerRecorder {
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #type = "";
  #isCut = false;
  #isText = true;

  opened(): void {
    this.#type = "text/event-stream";
  }

  openedBytes(contentType: string): void {
    this.#type = contentType;
    this.#isText = textType.test(contentType);
  }

  whole(_status: number, contentType: string, body: Buffer): void {
    this.openedBytes(contentType);
    this.add(body);
  }

  add(bytes: Buffer): void {
    if (!this.#isText || this.#isCut) return;
    const room = keptBytesMax - this.#size;
    this.#isCut = bytes.length > room;
    const kept = this.#isCut ? bytes.subarray(0, room) : bytes;
    this.#size += kept.length;
    this.#chunks.push(kept);
  }

  recorded(): RecordedText {
    const [only] = this.#chunks;
    const bytes = only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
    return { bytes, type: this.#type, isCut: this.#isCut };
  }
}
