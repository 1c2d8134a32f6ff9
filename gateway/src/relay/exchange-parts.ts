/** The parts of an exchange with a client, so that a function can ask for those that it needs. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import type { AnswerRecorder } from "./answer-recorder.ts";
import type { CallFacts } from "./call-facts.ts";
import type { ErrorFormat } from "./formats/api-format.ts";
import type { RelayRefusal } from "./wire/relay-refusal.ts";

/** `ClientResponse` is where an answer goes: the HTTP response, or one turn of a WebSocket. */
export interface ClientResponse extends Writable {
  statusCode: number;
  readonly headersSent: boolean;
  /** The client's connection; null when it is gone. */
  readonly socket: Socket | null;
  /**
   * `chunkedEncoding` says whether HTTP/1.1 sends the body in chunks, once the headers are written;
   * never for a WebSocket.
   */
  readonly chunkedEncoding?: boolean;
  /** `headers`: names and values in turn. */
  writeHead(status: number, headers: string[]): unknown;
}

/** `ArrivedRequest` is what came from a client, before anything is known of it. */
export interface ArrivedRequest {
  readonly id: number;
  readonly requestId: string;
  readonly receivedAt: number;
  /** `beganAt` is the same moment by the monotonic clock. */
  readonly beganAt: number;
  readonly request: IncomingMessage;
  /** The client's address, behind trusted proxies. */
  readonly address: string;
  /** Path and query as traces show them. */
  readonly shownUrl: string;
}

/** `CallNotes` are what the steps of a call have found out of it. */
export interface CallNotes {
  /**
   * Facts that the steps of the call have found out so far; each step adds its own by `learn` and
   * `note`.
   */
  readonly facts: CallFacts;
  learn(found: Partial<Omit<CallFacts, "notes">>): void;
  /** Adds to what the row and the trace say of the call. */
  note(text: string): void;
}

/** `KnownCall` is a request with what was found out of it. */
export interface KnownCall extends ArrivedRequest, CallNotes {}

/** `ErrorFormatChoice` is how the client of an exchange reads errors. */
export interface ErrorFormatChoice {
  /** The form in which this client reads errors. */
  readonly errorFormat: ErrorFormat;
  speak(format: ErrorFormat): void;
}

/** `ClientPresence` says whether the client still waits. */
export interface ClientPresence {
  /** The client closed the connection before the response was complete. */
  readonly hasClientLeft: boolean;
  /**
   * Registers the close handler, replacing any previous one. Runs it at once when the client has
   * already left.
   */
  onClientLeave(listener: (() => void) | undefined): void;
}

/** `ReplyToClient` is an answer in one piece, or a refusal, while the client waits for it. */
export interface ReplyToClient extends ClientPresence {
  /** The error that the client got before any content, if it got one. */
  readonly refusal: RelayRefusal | undefined;
  readonly hasAnswered: boolean;
  refuse(refused: RelayRefusal): void;
  /** `headers`: further ones, names and values in turn. */
  answer(
    status: number,
    contentType: string,
    body: Buffer,
    dropped?: readonly string[],
    headers?: readonly string[],
  ): void;
}

/** `StreamToClient` is an answer that is sent while it arrives. */
export interface StreamToClient {
  /**
   * Heartbeats, as SSE comments, keep a silent stream alive through proxies. They begin `firstInMs`
   * after the latest call of this function and commit the response to status 200.
   */
  keepAlive(firstInMs: number): void;
  /**
   * Sends `dropped` unless a heartbeat has already sent the headers, before any channel answered.
   */
  openStream(dropped?: readonly string[]): void;
  /** Begins a response of raw bytes; `length` is its total where the provider states it. */
  openBytes(contentType: string, length: string | undefined): void;
  /**
   * Closes the connection after sending what is queued: a missing end shows the client that the
   * response is incomplete.
   */
  breakOff(): void;
  /**
   * False when the client must catch up first; `onDrain` runs when it has. Takes no strings: node
   * counts them in bytes when they are queued and in characters when they are sent, so "drain" may
   * never come for text beyond ASCII.
   */
  write(bytes: Buffer, onDrain?: () => void): boolean;
  endStream(bytes?: Buffer): void;
  /** Writes an error into the stream, then ends it as its format requires. */
  endStreamWith(refusal: RelayRefusal): void;
}

/** `SentAnswer` is what the client has been sent so far, and who else gets it. */
export interface SentAnswer {
  readonly response: ClientResponse;
  /** Gets what the client gets: for the response cache, or where contents are kept. */
  readonly recorder: AnswerRecorder | undefined;
  /** `firstByteAt` is when the first byte of the response was written; 0 before. */
  readonly firstByteAt: number;
  noteFirstByte(): void;
  /** Adds one that gets what the client gets. */
  record(recorder: AnswerRecorder): void;
}
