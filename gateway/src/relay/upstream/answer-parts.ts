/** The parts of a provider's answer, so that a function can ask for those that it reads. */
import type { IncomingHttpHeaders } from "node:http";

/** Receives the body of a response. */
export interface BodyReader {
  data(chunk: Buffer): void;
  end(): void;
  error(error: Error): void;
}

/** `AnswerHead` is what is known of an answer before its body. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** `answeredAt` is when the status line arrived. */
  readonly answeredAt: number;
  /** Secrets in the request, which the upstream may quote and which must not be passed on. */
  readonly secrets: readonly string[];
}

/** `AnswerBody` is a body that arrives while it is read. */
export interface AnswerBody {
  /** Bytes of the body so far. */
  readonly bytesReceived: number;
  /** The error that ended the call before or after its headers, if any. */
  readonly failure: Error | undefined;
  /** The first bytes, before the body is read; none where it ends without any. */
  peek(): Promise<Buffer>;
  read(reader: BodyReader): void;
  /** The whole body, at most `max` bytes. Rejects for a larger body and for an incomplete one. */
  readAll(max: number): Promise<Buffer>;
  pause(): void;
  resume(): void;
}

/** `AbortableCall` is a call that its provider has not answered in full. */
export interface AbortableCall {
  /** Tells the upstream at once that the response is no longer wanted. */
  abort(reason: string): void;
}

/** `UpstreamAnswer` is an answer as it comes from its provider. */
export interface UpstreamAnswer extends AnswerHead, AnswerBody, AbortableCall {}
