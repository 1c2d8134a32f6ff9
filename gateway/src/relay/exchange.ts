/** One incoming call: its request, its answer, its id, and whether the caller is still there. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { requestIdFromId } from "../storage/time-ids.ts";
import type { Admission } from "./admission/token-limits.ts";
import type { ErrorFormat } from "./formats/api-format.ts";
import { openAiErrors } from "./formats/openai-errors.ts";
import type { RelayRefusal } from "./wire/relay-refusal.ts";

const json = "application/json; charset=utf-8";
const streamHeaders = ["cache-control", "no-cache", "x-accel-buffering", "no"];
const heartbeat = Buffer.from(":\n\n");
const heartbeatEveryMs = 5_000;
const lingerMs = 1_000;
/** A caller who takes nothing for this long is gone; one who takes a little now and then is only slow. */
const defaultClientTimeoutMs = 60_000;
/** So many looks without any progress are the whole patience. */
const checksMax = 4;
const exposedHeaders = "retry-after, x-oneapi-request-id, x-tollgate-lost";
/** Proxies give all headers together a few thousand characters. */
const droppedHeaderMaxLength = 1_000;

/** What a translation left out of the call; names that find no room are left out of that, too. */
function droppedFieldsHeader(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const all = names.join(", ");
  const cut =
    all.length > droppedHeaderMaxLength ? `${all.slice(0, all.lastIndexOf(", ", droppedHeaderMaxLength))}, ...` : all;
  return ["x-tollgate-lost", cut];
}

/**
 * Grows whenever the system takes bytes of this connection off us. What a large write still has to give away only the
 * handle knows: node itself asks it before it calls a socket idle.
 */
function flushedBytes(socket: Socket | null): number {
  if (!socket) return 0;
  const { _handle: handle } = socket as unknown as { _handle?: { writeQueueSize?: number } | null };
  return socket.bytesWritten - socket.writableLength - (handle?.writeQueueSize ?? 0);
}

export class Exchange {
  readonly id: number;
  readonly requestId: string;
  readonly receivedAt: number;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The address of the client, trusted proxies removed. */
  readonly address: string;
  /** How this caller is told what went wrong. */
  errorFormat: ErrorFormat = openAiErrors;
  /** Of a key with limits: what has to be told when the call ends. */
  admission: Admission | undefined;
  /** When the first byte of the answer was written, 0 before. */
  firstByteAt = 0;
  #hasLeft = false;
  #onClientLeave: (() => void) | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #lastWriteAt = 0;
  #progressCheck: NodeJS.Timeout | undefined;
  #isBehind = false;
  readonly #clientTimeoutMs: number;
  /** The answer is bytes of the provider alone: nothing of ours fits in between. */
  #isBytes = false;

  constructor(
    id: number,
    request: IncomingMessage,
    response: ServerResponse,
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
    response.on("error", () => undefined);
  }

  /** The client closed the connection before the answer was complete. */
  get hasClientLeft(): boolean {
    return this.#hasLeft;
  }

  /** Who has to know at once when the client leaves; only the latest listener counts. */
  onClientLeave(listener: (() => void) | undefined): void {
    this.#onClientLeave = listener;
    if (this.#hasLeft) listener?.();
  }

  get hasAnswered(): boolean {
    return this.response.headersSent;
  }

  refuse(refusal: RelayRefusal): void {
    if (!this.hasAnswered) {
      this.#noteFirstByte();
      const body = Buffer.from(this.errorFormat.errorBody(refusal, this.requestId));
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

  answer(status: number, contentType: string, body: Buffer, dropped: readonly string[] = []): void {
    clearInterval(this.#heartbeat);
    this.#noteFirstByte();
    this.#writeHead(status, contentType, ["content-length", String(body.length), ...droppedFieldsHeader(dropped)]);
    this.response.end(body);
    this.#watchProgress();
  }

  /**
   * Comments keep a silent stream alive through proxies; they begin after `firstInMs`, counted from the latest call, and
   * commit the answer to 200.
   */
  keepAlive(firstInMs: number): void {
    this.#lastWriteAt = Date.now() + firstInMs - heartbeatEveryMs;
    this.#heartbeat ??= setInterval(() => {
      if (Date.now() - this.#lastWriteAt >= heartbeatEveryMs) this.write(heartbeat);
    }, 1_000);
  }

  /** What is `lost` is told while it can be: a heartbeat has opened the stream before anybody knows who will answer. */
  openStream(dropped: readonly string[] = []): void {
    if (this.#hasLeft || this.hasAnswered) return;
    this.#noteFirstByte();
    this.#writeHead(200, "text/event-stream", [...streamHeaders, ...droppedFieldsHeader(dropped)]);
  }

  /** What `write` brings is the content itself; `length` is that of all of it, where the provider knows it. */
  openBytes(contentType: string, length: string | undefined): void {
    // A heartbeat of a stream that was not to be would end up in it.
    clearInterval(this.#heartbeat);
    this.#isBytes = true;
    this.#noteFirstByte();
    this.#writeHead(200, contentType, length === undefined ? [] : ["content-length", length]);
  }

  /** Breaks off, once everything is sent: without its proper end the caller sees that the answer is not whole. */
  breakOff(): void {
    if (!this.#hasLeft) this.response.socket?.destroySoon();
  }

  /**
   * False when the client must catch up first: `onDrain` is called when it has. Strings are not taken: Node counts them in
   * bytes to say so and in characters to say that they are gone, and may never say it of letters that are no ASCII.
   */
  write(bytes: Buffer, onDrain?: () => void): boolean {
    if (this.#hasLeft) return true;
    this.openStream();
    this.#lastWriteAt = Date.now();
    const flows = this.response.write(bytes);
    if (!flows && onDrain && !this.#isBehind) {
      this.#isBehind = true;
      this.#watchProgress();
      this.response.once("drain", () => {
        this.#isBehind = false;
        clearInterval(this.#progressCheck);
        onDrain();
      });
    }
    return flows;
  }

  /** Drops a caller who takes nothing of what waits for him, until that is with him or `drain` ends the watch. */
  #watchProgress(): void {
    clearInterval(this.#progressCheck);
    if (this.response.writableLength === 0) return;
    const { socket } = this.response;
    let flushed = flushedBytes(socket);
    let idleChecks = 0;
    this.#progressCheck = setInterval(() => {
      const now = flushedBytes(socket);
      idleChecks = now === flushed ? idleChecks + 1 : 0;
      flushed = now;
      if (idleChecks >= checksMax) this.response.destroy();
    }, this.#clientTimeoutMs / checksMax);
  }

  endStream(bytes?: Buffer): void {
    clearInterval(this.#heartbeat);
    if (this.#hasLeft) return;
    this.openStream();
    this.response.end(bytes);
    this.#watchProgress();
  }

  /** Says inside the stream what went wrong, then ends it as its grammar wants. */
  endStreamWith(refusal: RelayRefusal): void {
    if (this.#isBytes) this.breakOff();
    else this.endStream(Buffer.from(this.errorFormat.streamError(refusal, this.requestId)));
  }

  /** Closing on a caller who still sends resets the connection: he gets a moment to read what he is told. */
  #endAfterLinger(body: Buffer): void {
    this.response.write(body);
    setTimeout(() => this.response.end(), lingerMs);
  }

  /** Headers as one flat list: setting them one by one costs more than everything else about them. */
  #writeHead(status: number, contentType: string, more: readonly string[]): void {
    this.response.writeHead(status, [
      "content-type",
      contentType,
      "x-oneapi-request-id",
      this.requestId,
      // What a model wrote must not become a page, whatever browser is pointed at it.
      "x-content-type-options",
      "nosniff",
      // Browsers may call with a key of their own; there are no cookies here to abuse.
      "access-control-allow-origin",
      "*",
      "access-control-expose-headers",
      exposedHeaders,
      ...more,
    ]);
  }

  #noteFirstByte(): void {
    if (this.firstByteAt === 0) this.firstByteAt = Date.now();
  }
}
