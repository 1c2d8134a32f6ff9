/**
 * An HTTP exchange of the client API: request, response, id, and whether the client is still
 * connected.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
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
import type {
  ClientResponse,
  ErrorFormatChoice,
  KnownCall,
  ReplyToClient,
  SentAnswer,
  StreamToClient,
} from "./exchange-parts.ts";
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

/** "close" follows each error of a response and says all that matters. */
const ignored = (): void => undefined;

export class Exchange
  implements KnownCall, ErrorFormatChoice, ReplyToClient, StreamToClient, SentAnswer
{
  readonly id: number;
  readonly requestId: string;
  readonly receivedAt: number;
  readonly beganAt = performance.now();
  readonly request: IncomingMessage;
  readonly response: ClientResponse;
  readonly address: string;
  refusal: RelayRefusal | undefined;
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

  get facts(): CallFacts {
    return this.#facts;
  }

  learn(found: Partial<Omit<CallFacts, "notes">>): void {
    Object.assign(this.#facts, found);
  }

  note(text: string): void {
    this.#facts.notes = [...this.#facts.notes, text];
  }

  get errorFormat(): ErrorFormat {
    return this.#errorFormat;
  }

  speak(format: ErrorFormat): void {
    this.#errorFormat = format;
  }

  get firstByteAt(): number {
    return this.#firstByteAt;
  }

  record(recorder: AnswerRecorder): void {
    this.recorder = this.recorder ? new TwoRecorders(this.recorder, recorder) : recorder;
  }

  get hasClientLeft(): boolean {
    return this.#hasLeft;
  }

  onClientLeave(listener: (() => void) | undefined): void {
    this.#onClientLeave = listener;
    if (this.#hasLeft) listener?.();
  }

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

  keepAlive(firstInMs: number): void {
    this.#lastWriteAt = Date.now() + firstInMs - heartbeatEveryMs;
    this.#heartbeat ??= setInterval(() => {
      if (Date.now() - this.#lastWriteAt >= heartbeatEveryMs) this.write(heartbeat);
    }, 1_000);
  }

  openStream(dropped: readonly string[] = []): void {
    if (this.#hasLeft || this.hasAnswered) return;
    this.recorder?.opened(dropped);
    this.noteFirstByte();
    this.#writeHead(200, "text/event-stream", [
      ...streamHeaders,
      ...composeDroppedFieldsHeader(dropped),
    ]);
  }

  openBytes(contentType: string, length: string | undefined): void {
    // A heartbeat would become part of the content.
    clearInterval(this.#heartbeat);
    this.#isBytes = true;
    this.recorder?.openedBytes(contentType);
    this.noteFirstByte();
    this.#writeHead(200, contentType, length === undefined ? [] : ["content-length", length]);
  }

  breakOff(): void {
    if (!this.#hasLeft) this.response.socket?.destroySoon();
  }

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
