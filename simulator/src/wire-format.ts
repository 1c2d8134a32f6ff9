// The interface of a wire format. Each format is one sibling file.
import type { IncomingHttpHeaders } from "node:http";
import type { ScriptedFailure } from "./scripted-behaviour.ts";
import type { SimulatedAnswer, SimulatedRequest } from "./simulated-answer.ts";

export type WireOperation = "chat" | "models";

/** Breaks and pacing count `content` events. */
export type SimulatedEvent = { kind: "content" | "frame" | "done"; text: string };

/** `id` has no prefix: each format adds its own. */
export type AnswerEnvelope = {
  id: string;
  model: string;
  createdSeconds: number;
  usageHidden: boolean;
};

export type WireFormat = {
  /** The operation of this request, or undefined when the format does not have it. */
  operationOf(method: string, path: string): WireOperation | undefined;
  keyOf(headers: IncomingHttpHeaders): string | undefined;
  /**
   * Throws `InvalidRequestError`. `target` is path and query, in which some formats have
   * parameters.
   */
  readRequest(body: unknown, target: string): SimulatedRequest;
  responseBody(answer: SimulatedAnswer, envelope: AnswerEnvelope): unknown;
  events(
    answer: SimulatedAnswer,
    envelope: AnswerEnvelope,
    question: SimulatedRequest,
  ): Iterable<SimulatedEvent>;
  models(
    ids: readonly string[],
    createdSeconds: number,
    ends?: Readonly<Record<string, string | null>>,
  ): unknown;
  failure(failure: ScriptedFailure, key: string): unknown;
  /** The event that reports an error in the middle of a stream. */
  streamFailure(): string;
};

export class InvalidRequestError extends Error {
  readonly failure: ScriptedFailure;

  constructor(failure: ScriptedFailure & { message: string }) {
    super(failure.message);
    this.failure = failure;
  }
}
