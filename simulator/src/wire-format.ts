// What a wire format must offer the simulator. One sibling file per format; the rest of the program knows only this.
import type { IncomingHttpHeaders } from "node:http";
import type { ScriptedFailure } from "./script.ts";
import type { SimulatedAnswer, SimulatedRequest } from "./simulated-answer.ts";

export type WireOperation = "chat" | "models";

/** `content` events are those that cutting, stalling and pacing count. */
export type SimulatedEvent = { kind: "content" | "frame" | "done"; text: string };

/** `id` is bare: each format has its own prefix. */
export type AnswerEnvelope = { id: string; model: string; createdSeconds: number; usageHidden: boolean };

export type WireFormat = {
  /** What this request asks of this format, or undefined when it is another format's. */
  operationOf(method: string, path: string): WireOperation | undefined;
  keyOf(headers: IncomingHttpHeaders): string | undefined;
  /** Throws `BadQuestion`. Some formats ask in the address, too: `target` is path and query. */
  readRequest(body: unknown, target: string): SimulatedRequest;
  responseBody(answer: SimulatedAnswer, envelope: AnswerEnvelope): unknown;
  events(answer: SimulatedAnswer, envelope: AnswerEnvelope, question: SimulatedRequest): Iterable<SimulatedEvent>;
  models(ids: readonly string[], createdSeconds: number): unknown;
  failure(failure: ScriptedFailure, key: string): unknown;
  /** The event that reports trouble in the middle of a stream. */
  streamFailure(): string;
};

export class InvalidRequestError extends Error {
  readonly failure: ScriptedFailure;

  constructor(failure: ScriptedFailure & { message: string }) {
    super(failure.message);
    this.failure = failure;
  }
}
