/** A recording of the answer that a client receives, as far as the response cache keeps it. */
import type { AnswerRecorder } from "../answer-recorder.ts";

/** Longer answers are seldom asked for twice, and few of them would fill the cache. */
export const answerBytesMax = 256 * 1024;

export interface KeptAnswer {
  /** Undefined for a stream of events. */
  contentType: string | undefined;
  body: Buffer;
  /** Members of the request that a translation dropped. */
  dropped: readonly string[];
}

export class AnswerRecording implements AnswerRecorder {
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #contentType: string | undefined;
  #dropped: readonly string[] = [];
  #isUsable = true;

  opened(dropped: readonly string[]): void {
    this.#dropped = dropped;
  }

  add(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#size > answerBytesMax) this.#discard();
    if (this.#isUsable) this.#chunks.push(bytes);
  }

  openedBytes(): void {
    this.#discard();
  }

  whole(status: number, contentType: string, body: Buffer, dropped: readonly string[]): void {
    if (status !== 200) this.#discard();
    this.#contentType = contentType;
    this.#dropped = dropped;
    this.add(body);
  }

  /** Undefined where there is nothing to keep. */
  recorded(): KeptAnswer | undefined {
    if (!this.#isUsable || this.#size === 0) return undefined;
    return {
      contentType: this.#contentType,
      body: Buffer.concat(this.#chunks),
      dropped: this.#dropped,
    };
  }

  #discard(): void {
    this.#isUsable = false;
    this.#chunks.length = 0;
  }
}
