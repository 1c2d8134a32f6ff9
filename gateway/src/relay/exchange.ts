/**
 * An HTTP exchange of the client API: request, response, id, and whether the client is still
 * connected.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { unitsPerDollar } from "../money/prices/price.ts";
import { requestIdFromId } from "../storage/time-ids.ts";
import { traceResponseHeaders } from "../telemetry/call-tracing.ts";
import { writeOpenAiLimits } from "./admission/limit-headers.ts";
import {
  cacheHeader,
  composeDroppedFieldsHeader,
  costHeader,
  fixedHeaders,
  headerText,
  requestIdHeaders,
  servedModelHeader,
  upstreamIdHeader,
} from "./answer-headers.ts";
import { type AnswerRecorder, TwoRecorders } from "./answer-recorder.ts";
import type { CallFacts } from "./call-facts.ts";
import type { ErrorFormat } from "./formats/api-format.ts";
import { openAiErrors } from "./formats/openai-errors.ts";
import { buildHttpChunk, findConnectionForChunks } from "./wire/http-chunk.ts";
import type { RelayRefusal } from "./wire/relay-refusal.ts";

const json = "application/json; charset=utf-8";
const streamHeaders = ["cache-control", "no-cache, no-transform", "x-accel-buffering", "no"];
const heartbeat = Buffer.from(":\n\n");
const heartbeatEveryMs = 5_000;
const lingerMs = 1_000;
const urlMax = 4_096;
const secretParameters = /([?&](?:key|token|access_token|api_key|password|secret)=)[^&]*/gi;
/**
 * A client that reads nothing for this long is disconnected. A slow client that reads now and then
 * is not.
 */
const defaultClientTimeoutMs = 60_000;
/** The client timeout passes in this many checks without progress. */
const checksMax = 4;

/**
 * Grows whenever the system takes bytes of this connection. `writableLength` counts a large write
 * in full until its end; only the private handle knows how much of it is left, and node has no
 * public counterpart. Node's own idle timeout reads the same field.
 */
function computeFlushedBytes(socket: Socket | null): number {
  if (!socket) return 0;
  const { _handle: handle } = socket as unknown as { _handle?: { writeQueueSize?: number } | null };
  return socket.bytesWritten - socket.writableLength - (handle?.writeQueueSize ?? 0);
}

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

/** "close" follows each error of a response and says all that matters. */
const ignored = (): void => undefined;

export class Exchange {
  readonly id: number;
  readonly requestId: string;
  readonly receivedAt: number;
  /** `beganAt` is the same moment by the monotonic clock. */
  readonly beganAt = performance.now();
  readonly request: IncomingMessage;
  readonly response: ClientResponse;
  /** The client's address, behind trusted proxies. */
  readonly address: string;
  /** The error that the client got before any content, if it got one. */
  refusal: RelayRefusal | undefined;
  /** Gets what the client gets: for the response cache, or where contents are kept. */
  recorder: AnswerRecorder | undefined;
  #errorFormat: ErrorFormat = openAiErrors;
  #firstByteAt = 0;
  readonly #facts: { -readonly [Name in keyof CallFacts]: CallFacts[Name] } = {
    model: "",
    notes: [],
  };
  #hasLeft = false;
  #onClientLeave: (() => void) | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #lastWriteAt = 0;
  /** The response has taken the headers and the first bytes of a stream. */
  #hasBegun = false;
  #progressCheck: NodeJS.Timeout | undefined;
  #isBehind = false;
  /** The latest events of a stream. */
  #lastSent: Buffer | undefined;
  readonly #clientTimeoutMs: number;
  /** The response consists of the provider's bytes alone: the gateway cannot add an error to it. */
  #isBytes = false;

  constructor(
    id: number,
    request: IncomingMessage,
    response: ClientResponse,
    address: string,
    clientTimeoutMs = defaultClientTimeoutMs,
  ) {
    this.id = id;
    this.requestId = requestIdFromId(id);
    this.receivedAt = Date.now();
    this.request = request;
    this.response = response;
    this.address = address;
    this.#clientTimeoutMs = clientTimeoutMs;
    response.on("close", () => {
      clearInterval(this.#heartbeat);
      clearInterval(this.#progressCheck);
      if (response.writableFinished) return;
      this.#hasLeft = true;
      this.#onClientLeave?.();
    });
    response.on("error", ignored);
  }

  /**
   * Facts that the steps of the call have found out so far; each step adds its own by `learn` and
   * `note`.
   */
  get facts(): CallFacts {
    return this.#facts;
  }

  learn(found: Partial<Omit<CallFacts, "notes">>): void {
    Object.assign(this.#facts, found);
  }

  /** Adds to what the row and the trace say of the call. */
  note(text: string): void {
    this.#facts.notes = [...this.#facts.notes, text];
  }

  /** The form in which this client reads errors. */
  get errorFormat(): ErrorFormat {
    return this.#errorFormat;
  }

  speak(format: ErrorFormat): void {
    this.#errorFormat = format;
  }

  /** `firstByteAt` is when the first byte of the response was written; 0 before. */
  get firstByteAt(): number {
    return this.#firstByteAt;
  }

  /** Adds one that gets what the client gets. */
  record(recorder: AnswerRecorder): void {
    this.recorder = this.recorder ? new TwoRecorders(this.recorder, recorder) : recorder;
  }

  /** The client closed the connection before the response was complete. */
  get hasClientLeft(): boolean {
    return this.#hasLeft;
  }

  /**
   * Registers the close handler, replacing any previous one. Runs it at once when the client has
   * already left.
   */
  onClientLeave(listener: (() => void) | undefined): void {
    this.#onClientLeave = listener;
    if (this.#hasLeft) listener?.();
  }

  /** Path and query as traces show them. */
  get shownUrl(): string {
    const { url = "" } = this.request;
    return url.includes("?")
      ? url.replace(secretParameters, "$1***").slice(0, urlMax)
      : url.slice(0, urlMax);
  }

  get hasAnswered(): boolean {
    return this.response.headersSent;
  }

  refuse(refused: RelayRefusal): void {
    const status = this.errorFormat.statusOf?.(refused, this.request.headers) ?? refused.status;
    const refusal = status === refused.status ? refused : { ...refused, status };
    if (!this.hasAnswered) {
      this.refusal = refusal;
      this.noteFirstByte();
      const body = Buffer.from(this.errorFormat.errorBody(refusal, this.requestId));
      this.recorder?.whole(refusal.status, json, body, []);
      const more = ["content-length", String(body.length)];
      if (refusal.retryAfter !== undefined) more.push("retry-after", String(refusal.retryAfter));
      if (refusal.headers) more.push(...refusal.headers);
      if (refusal.closesConnection) more.push("connection", "close");
      this.#writeHead(refusal.status, json, more);
      if (refusal.closesConnection) this.#endAfterLinger(body);
      else this.response.end(body);
    } else {
      this.endStreamWith(refusal);
    }
  }

  /** `headers`: further ones, names and values in turn. */
  answer(
    status: number,
    contentType: string,
    body: Buffer,
    dropped: readonly string[] = [],
    headers: readonly string[] = [],
  ): void {
    clearInterval(this.#heartbeat);
    this.recorder?.whole(status, contentType, body, dropped);
    this.noteFirstByte();
    this.#writeHead(status, contentType, [
      "content-length",
      String(body.length),
      ...composeDroppedFieldsHeader(dropped),
      ...headers,
    ]);
    this.response.end(body);
    this.#watchProgress();
  }

  /**
   * Heartbeats, as SSE comments, keep a silent stream alive through proxies. They begin `firstInMs`
   * after the latest call of this function and commit the response to status 200.
   */
  keepAlive(firstInMs: number): void {
    this.#lastWriteAt = Date.now() + firstInMs - heartbeatEveryMs;
    this.#heartbeat ??= setInterval(() => {
      if (Date.now() - this.#lastWriteAt >= heartbeatEveryMs) this.write(heartbeat);
    }, 1_000);
  }

  /**
   * Sends `dropped` unless a heartbeat has already sent the headers, before any channel answered.
   */
  openStream(dropped: readonly string[] = []): void {
    if (this.#hasLeft || this.hasAnswered) return;
    this.recorder?.opened(dropped);
    this.noteFirstByte();
    this.#writeHead(200, "text/event-stream", [
      ...streamHeaders,
      ...composeDroppedFieldsHeader(dropped),
    ]);
  }

  /** Begins a response of raw bytes; `length` is its total where the provider states it. */
  openBytes(contentType: string, length: string | undefined): void {
    // A heartbeat would become part of the content.
    clearInterval(this.#heartbeat);
    this.#isBytes = true;
    this.recorder?.openedBytes(contentType);
    this.noteFirstByte();
    this.#writeHead(200, contentType, length === undefined ? [] : ["content-length", length]);
  }

  /**
   * Closes the connection after sending what is queued: a missing end shows the client that the
   * response is incomplete.
   */
  breakOff(): void {
    if (!this.#hasLeft) this.response.socket?.destroySoon();
  }

  /**
   * False when the client must catch up first; `onDrain` runs when it has. Takes no strings: node
   * counts them in bytes when they are queued and in characters when they are sent, so "drain" may
   * never come for text beyond ASCII.
   */
  write(bytes: Buffer, onDrain?: () => void): boolean {
    if (this.#hasLeft) return true;
    this.openStream();
    this.#lastWriteAt = Date.now();
    if (bytes !== heartbeat) {
      this.#lastSent = bytes;
      this.recorder?.add(bytes);
    }
    const connection = this.#hasBegun ? findConnectionForChunks(this.response, bytes) : undefined;
    this.#hasBegun = true;
    const flows = connection ? connection.write(buildHttpChunk(bytes)) : this.response.write(bytes);
    if (!flows && onDrain && !this.#isBehind) {
      this.#isBehind = true;
      this.#watchProgress();
      (connection ?? this.response).once("drain", () => {
        this.#isBehind = false;
        clearInterval(this.#progressCheck);
        onDrain();
      });
    }
    return flows;
  }

  /**
   * Disconnects a client that stops reading while data is queued, until the queue is empty or
   * "drain" ends the check.
   */
  #watchProgress(): void {
    clearInterval(this.#progressCheck);
    if (this.response.writableLength === 0) return;
    const { socket } = this.response;
    let flushed = computeFlushedBytes(socket);
    let idleChecks = 0;
    this.#progressCheck = setInterval(() => {
      const now = computeFlushedBytes(socket);
      idleChecks = now === flushed ? idleChecks + 1 : 0;
      flushed = now;
      if (idleChecks >= checksMax) this.response.destroy();
    }, this.#clientTimeoutMs / checksMax);
  }

  endStream(bytes?: Buffer): void {
    clearInterval(this.#heartbeat);
    if (this.#hasLeft) return;
    this.openStream();
    if (bytes) this.recorder?.add(bytes);
    this.response.end(bytes);
    this.#watchProgress();
  }

  /** Writes an error into the stream, then ends it as its format requires. */
  endStreamWith(refusal: RelayRefusal): void {
    if (this.#isBytes) this.breakOff();
    else
      this.endStream(
        Buffer.from(this.errorFormat.streamError(refusal, this.requestId, this.#lastSent)),
      );
  }

  /**
   * Closing while the client is still sending would reset the connection, so give it time to read
   * the response.
   */
  #endAfterLinger(body: Buffer): void {
    this.response.write(body);
    setTimeout(() => this.response.end(), lingerMs);
  }

  /**
   * `#writeHead` gives one flat list: setting headers one by one costs more than all else about
   * them.
   */
  #writeHead(status: number, contentType: string, more: readonly string[]): void {
    const headers = ["content-type", contentType];
    for (const name of requestIdHeaders) headers.push(name, this.requestId);
    headers.push(...fixedHeaders);
    const { servedModel, cacheState, charge, endHeaders, trace, upstreamRequestId, admission } =
      this.#facts;
    if (servedModel !== undefined && headerText.test(servedModel))
      headers.push(servedModelHeader, servedModel);
    if (cacheState !== undefined) headers.push(cacheHeader, cacheState);
    if (charge !== undefined) headers.push(costHeader, String(charge / unitsPerDollar));
    if (endHeaders) headers.push(...endHeaders);
    if (trace) headers.push(...traceResponseHeaders(trace));
    if (upstreamRequestId !== undefined) headers.push(upstreamIdHeader, upstreamRequestId);
    if (admission) {
      const told = this.errorFormat.limitHeaders ?? writeOpenAiLimits;
      headers.push(...told(admission.used, Date.now()));
    }
    headers.push(...more);
    this.response.writeHead(status, headers);
  }

  noteFirstByte(): void {
    if (this.#firstByteAt === 0) this.#firstByteAt = Date.now();
  }
}
