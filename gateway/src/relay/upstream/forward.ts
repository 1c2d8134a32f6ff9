/** Sends one request upstream and returns the response once its headers are here, or the error. */
import type { IncomingHttpHeaders } from "node:http";
import type { Duplex } from "node:stream";
import {
  createBrotliDecompress,
  createGunzip,
  createInflateRaw,
  createUnzip,
  createZstdDecompress,
} from "node:zlib";
import type { Dispatcher } from "undici";
import { EgressBlocked, type Exit } from "../../egress/egress.ts";
import type { UpstreamRequest } from "../providers/provider.ts";
import type { AbortableCall, AnswerHead, BodyReader, UpstreamAnswer } from "./answer-parts.ts";
import {
  answerLost,
  buildConnectionFailed,
  buildErrorFromResponse,
  type UpstreamError,
} from "./upstream-error.ts";

const errorBodyMax = 64 * 1024;
/**
 * Bytes that one upstream may deliver before the event loop serves others. Without it, two hundred
 * fast upstreams make one turn of the loop take seconds.
 */
const bytesBetweenYieldsMax = 64 * 1024;

/** The first byte of gzip. */
const gzipByte = 0x1f;
/**
 * `deflate` means data with zlib's header; some servers send them without it, as some send gzip
 * under this name.
 */
const hasZlibHeader = ([first = 0]: Buffer): boolean => (first & 0x0f) === 8 || first === gzipByte;
/** Some proxies unpack a body and leave the header that says it is packed. */
const unpackGzip = ([first]: Buffer): Duplex | undefined =>
  first === gzipByte ? createGunzip() : undefined;

/**
 * Decoders by the name of the encoding; several in a row are not known. `begin` is the beginning of
 * the body, which decides where an encoding has two forms. Undefined for plain bytes.
 */
const decoders: ReadonlyMap<string, (begin: Buffer) => Duplex | undefined> = new Map([
  ["gzip", unpackGzip],
  ["x-gzip", unpackGzip],
  ["deflate", (begin: Buffer) => (hasZlibHeader(begin) ? createUnzip() : createInflateRaw())],
  ["br", () => createBrotliDecompress()],
  ["zstd", () => createZstdDecompress()],
]);

export type ForwardResult = { answer: UpstreamResponse } | { error: UpstreamError };

/**
 * The handler of one dispatch. It buffers what arrives before it is read, which is one turn of the
 * loop at most.
 */
export class UpstreamResponse implements Dispatcher.DispatchHandler, UpstreamAnswer {
  status = 0;
  headers: IncomingHttpHeaders = {};
  answeredAt = 0;
  secrets: readonly string[] = [];
  readonly headersReceived: Promise<void>;
  #settleAnswered: () => void = () => undefined;
  /** `startedAt` is when the request was assigned a connection, in monotonic milliseconds. */
  startedAt = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #reader: BodyReader | undefined;
  #early: Buffer[] = [];
  #bodyState: "open" | "ended" | Error = "open";
  #isPaused = false;
  /** Bytes since it last yielded to others. */
  #bytesSinceYield = 0;
  #isYielding = false;
  /** Only where the body is compressed. */
  #decoder: Duplex | undefined;
  /** The first bytes decide how to read a compressed body. */
  #createDecoder: ((begin: Buffer) => Duplex | undefined) | undefined;
  /** Tells a reader of the first bytes that they are there, or will not come. */
  #onBegun: (() => void) | undefined;
  bytesReceived = 0;
  #aborted: Error | undefined;

  constructor() {
    this.headersReceived = new Promise((resolve) => {
      this.#settleAnswered = resolve;
    });
  }

  /** A response whose body is already here. */
  static of(body: Buffer, { status, headers, answeredAt, secrets }: AnswerHead): UpstreamResponse {
    const answer = new UpstreamResponse();
    Object.assign(answer, { status, headers, answeredAt, secrets });
    answer.#early.push(body);
    answer.onResponseEnd();
    return answer;
  }

  /** Stands for the wait between two polls; aborting it ends the wait. */
  static pending(onAbort: () => void): UpstreamResponse {
    const answer = new UpstreamResponse();
    void answer.headersReceived.then(onAbort);
    return answer;
  }

  get isAborted(): boolean {
    return this.#aborted !== undefined;
  }

  get failure(): Error | undefined {
    return this.#aborted ?? (this.#bodyState instanceof Error ? this.#bodyState : undefined);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.startedAt = performance.now();
    if (this.#aborted) controller.abort(this.#aborted);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Undici keeps the bytes of each header until the response ends; `headers` is all that is read.
    controller.rawHeaders = null;
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.answeredAt = Date.now();
    const encoding = headers["content-encoding"];
    if (encoding !== undefined && encoding !== "" && encoding !== "identity") {
      const { "content-encoding": _, "content-length": __, ...rest } = headers;
      this.headers = rest;
      const name = String(encoding).trim().toLowerCase();
      this.#createDecoder = decoders.get(name);
      if (!this.#createDecoder)
        this.abort(`the answer has the content encoding ${name}, which the gateway does not read`);
    } else if (/json|^text\//.test(headers["content-type"] ?? "")) this.#createDecoder = unpackGzip;
    this.#settleAnswered();
  }

  /**
   * The gateway asks for no encoding, and some servers choose one all the same, and do not always
   * say so: what is passed on is what the client asked for.
   */
  #decode(begin: Buffer): void {
    const decoder = this.#createDecoder?.(begin);
    this.#createDecoder = undefined;
    if (!decoder) return;
    this.#decoder = decoder;
    decoder.on("data", (chunk: Buffer) => this.#deliver(chunk));
    decoder.on("end", () => this.#ended());
    decoder.on("error", (error) => this.onResponseError(undefined, error));
    decoder.on("drain", () => this.#controllerResume());
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#createDecoder && chunk.length > 0) this.#decode(chunk);
    if (!this.#decoder) this.#deliver(chunk);
    else if (!this.#decoder.write(chunk)) this.#controller?.pause();
  }

  #deliver(chunk: Buffer): void {
    if (this.#reader) this.#reader.data(chunk);
    else {
      this.#early.push(chunk);
      this.#onBegun?.();
    }
    this.bytesReceived += chunk.length;
    this.#bytesSinceYield += chunk.length;
    if (this.#bytesSinceYield >= bytesBetweenYieldsMax) this.#yieldToOthers();
  }

  #yieldToOthers(): void {
    if (this.#isYielding) return;
    this.#isYielding = true;
    this.#controller?.pause();
    setImmediate(() => {
      this.#isYielding = false;
      this.#bytesSinceYield = 0;
      this.#controllerResume();
    });
  }

  onResponseEnd(): void {
    if (this.#decoder) this.#decoder.end();
    else this.#ended();
  }

  #ended(): void {
    if (this.#bodyState !== "open") return;
    this.#bodyState = "ended";
    this.#onBegun?.();
    this.#reader?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#bodyState !== "open") return;
    this.#bodyState = error;
    this.#decoder?.destroy();
    this.#settleAnswered();
    this.#onBegun?.();
    this.#reader?.error(error);
  }

  async peek(): Promise<Buffer> {
    if (this.#early.length === 0 && this.#bodyState === "open")
      await new Promise<void>((resolve) => {
        this.#onBegun = resolve;
      });
    this.#onBegun = undefined;
    return this.#early[0] ?? Buffer.alloc(0);
  }

  read(reader: BodyReader): void {
    this.#reader = reader;
    const early = this.#early;
    this.#early = [];
    for (const chunk of early) reader.data(chunk);
    if (this.#bodyState === "ended") reader.end();
    else if (this.#bodyState instanceof Error) reader.error(this.#bodyState);
  }

  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#controller?.pause();
    this.#decoder?.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#decoder?.resume();
    this.#controllerResume();
  }

  #controllerResume(): void {
    if (!this.#isPaused && !this.#isYielding && !this.#decoder?.writableNeedDrain)
      this.#controller?.resume();
  }

  abort(reason: string): void {
    if (this.#aborted || this.#bodyState !== "open") return;
    this.#aborted = new Error(reason);
    this.#controller?.abort(this.#aborted);
    this.#settleAnswered();
  }

  readAll(max: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    return new Promise((resolve, reject) => {
      this.read({
        data: (chunk) => {
          size += chunk.length;
          if (size > max) {
            // Aborting reports an error of its own: this one comes first.
            reject(new AnswerTooLarge(`the answer is larger than ${max} bytes`));
            this.abort(`the answer is larger than ${max} bytes`);
          } else chunks.push(chunk);
        },
        end: () => {
          const [only] = chunks;
          resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks, size));
        },
        error: reject,
      });
    });
  }
}

export async function forward(
  exit: Exit,
  request: UpstreamRequest,
  onAbortable: (call: AbortableCall) => void,
): Promise<ForwardResult> {
  let answer: UpstreamResponse;
  try {
    answer = dispatchOnce(exit, request, onAbortable);
    await answer.headersReceived;
    if (!request.stream && !request.isSentOnce && closedWhileIdle(answer)) {
      answer = dispatchOnce(exit, request, onAbortable);
      await answer.headersReceived;
    }
  } catch (error) {
    if (error instanceof EgressBlocked) return { error: buildAddressRefused(error) };
    throw error;
  }
  if (answer.failure) return { error: answerError(answer.failure, 0) };
  if (answer.status >= 200 && answer.status < 300) return { answer };
  const body = await answer.readAll(errorBodyMax).catch(() => Buffer.alloc(0));
  return { error: buildErrorFromResponse(answer.status, body, answer.headers, Date.now()) };
}

function dispatchOnce(
  exit: Exit,
  request: UpstreamRequest,
  onAbortable: (call: AbortableCall) => void,
): UpstreamResponse {
  const answer = new UpstreamResponse();
  onAbortable(answer);
  exit.pool(request.url).dispatch(
    {
      path: request.url.pathname + request.url.search,
      method: request.method ?? "POST",
      headers: request.headers,
      body:
        request.method === "GET" || request.method === "DELETE"
          ? null
          : (request.stream ?? request.body),
      ...(request.firstByteWithinMs && { headersTimeout: request.firstByteWithinMs }),
    },
    answer,
  );
  return answer;
}

const brokenConnections = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);
/** A provider closes an idle connection within the time of one round trip. */
const crossingMs = 2_000;

/**
 * The connection had served before and ended just as the request was sent on it: the provider
 * closed the idle connection, and the two crossed. No byte of a response has arrived, so the
 * request may be sent once more.
 */
function closedWhileIdle({ status, failure, isAborted, startedAt }: UpstreamResponse): boolean {
  if (status !== 0 || isAborted || !failure) return false;
  const { code = "", bytesRead, socket } = failure as ConnectionError;
  const hadServed = (bytesRead ?? socket?.bytesRead ?? 0) > 0;
  return hadServed && brokenConnections.has(code) && performance.now() - startedAt < crossingMs;
}

interface ConnectionError extends Error {
  code?: string;
  bytesRead?: number;
  socket?: { bytesRead?: number };
}

/** The operator's own rules refuse the address; which one it is concerns administrators alone. */
export const buildAddressRefused = (error: EgressBlocked): UpstreamError =>
  buildConnectionFailed(error.message, "the channel's address is not allowed");

/** The answer exceeds what the gateway holds in memory. */
class AnswerTooLarge extends Error {}

/** Undici's codes for an upstream that took the request and then sent nothing for too long. */
const silenceCodes = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/**
 * The failure of a response before any of it reached the client. After silence, and for an answer
 * that is too large, the upstream may have done the work. `bytes` is how much of the answer
 * arrived; `what` says what is missing.
 */
export function answerError(error: Error, bytes: number, what = ""): UpstreamError {
  const cause = readErrorReason(error);
  const reason = what === "" ? cause : `${what} (${cause})`;
  if (error instanceof AnswerTooLarge) return answerLost(reason, { cause: "too_large", bytes });
  const { code = "" } = error as ConnectionError;
  return silenceCodes.has(code)
    ? answerLost(reason, { cause: "silent", bytes })
    : buildConnectionFailed(reason);
}

/**
 * `isAnswerLost` says whether the upstream had the request when its answer failed to come, or to
 * come whole.
 */
export const isAnswerLost = ({ status, reason, lost }: UpstreamError): boolean =>
  lost !== undefined || (status === 0 && brokenConnections.has(reason));

/** The failure without the address or anything that was sent. */
export function readErrorReason(error: Error): string {
  const code = (error as { code?: string }).code;
  return code ? `${code}` : error.message;
}
