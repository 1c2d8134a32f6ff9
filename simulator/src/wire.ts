// What a wire format must offer the simulator. One sibling file per format; the rest of the program knows only this.
import type { IncomingHttpHeaders } from "node:http";
import type { Answer, Question } from "./answer.ts";
import type { Failure } from "./script.ts";

export type Operation = "chat" | "models";

/** `content` events are those that cutting, stalling and pacing count. */
export type WireEvent = { kind: "content" | "frame" | "done"; text: string };

/** `id` is bare: each format has its own prefix. */
export type Envelope = { id: string; model: string; createdSeconds: number; usageHidden: boolean };

export type Wire = {
  /** What this request asks of this format, or undefined when it is another format's. */
  operationOf(method: string, path: string): Operation | undefined;
  keyOf(headers: IncomingHttpHeaders): string | undefined;
  /** Throws `BadQuestion`. Some formats ask in the address, too: `target` is path and query. */
  readQuestion(body: unknown, target: string): Question;
  whole(answer: Answer, envelope: Envelope): unknown;
  events(answer: Answer, envelope: Envelope, question: Question): Iterable<WireEvent>;
  models(ids: readonly string[], createdSeconds: number): unknown;
  failure(failure: Failure, key: string): unknown;
  /** The event that reports trouble in the middle of a stream. */
  streamFailure(): string;
};

export class BadQuestion extends Error {
  readonly failure: Failure;

  constructor(failure: Failure & { message: string }) {
    super(failure.message);
    this.failure = failure;
  }
}
