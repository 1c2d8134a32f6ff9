/** Told of an answer while it is sent, without heartbeats. */
export interface AnswerRecorder {
  opened(dropped: readonly string[]): void;
  add(bytes: Buffer): void;
  /** The provider's bytes alone follow, such as audio. */
  openedBytes(contentType: string): void;
  whole(status: number, contentType: string, body: Buffer, dropped: readonly string[]): void;
}

/** Both are told. */
export class TwoRecorders implements AnswerRecorder {
  readonly #both: readonly [AnswerRecorder, AnswerRecorder];

  constructor(one: AnswerRecorder, other: AnswerRecorder) {
    this.#both = [one, other];
  }

  opened(dropped: readonly string[]): void {
    for (const one of this.#both) one.opened(dropped);
  }

  add(bytes: Buffer): void {
    for (const one of this.#both) one.add(bytes);
  }

  openedBytes(contentType: string): void {
    for (const one of this.#both) one.openedBytes(contentType);
  }

  whole(status: number, contentType: string, body: Buffer, dropped: readonly string[]): void {
    for (const one of this.#both) one.whole(status, contentType, body, dropped);
  }
}
