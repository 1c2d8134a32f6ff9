/**
 * Reads the body of a request within limits: its size, the memory that all share, its pace, and
 * what its sender can pay for.
 */
import type { IncomingMessage } from "node:http";
import {
  type BodyMemoryBudget,
  type BodyReservation,
  smallBodyMax,
} from "../http/body-memory-budget.ts";
import { watchBody } from "../http/body-timeout.ts";
import type { ShareShortage } from "../limits/share-ledger.ts";
import type { CallNotes, SentAnswer } from "./exchange-parts.ts";
import {
  overloaded,
  RelayRefused,
  refuseBadRequest,
  refuseBodyTooSlow,
} from "./wire/relay-refusal.ts";

/**
 * `unpaidBodyMax` bounds the part of a body that is read before it is known to cost nothing, where
 * its sender cannot pay.
 */
export const unpaidBodyMax = smallBodyMax;
/**
 * `drainedMax` bounds the rest of a body that is thrown away when it is refused on the way, so that
 * most clients come to read why.
 */
const drainedMax = 64 * 1024;

export interface BodyTerms {
  room: BodyReservation;
  /**
   * AccountAnswer once where more than `unpaidBodyMax` has come, with that beginning. Throws
   * `RelayRefused`, or rejects with it, where the rest is not read. Missing at endpoints that never
   * charge.
   */
  refuseUnpaid?: (beginning: Buffer) => void | Promise<void>;
}

export interface ReadBodyDeps {
  /** Shared by the request bodies and messages of all users. */
  bodyMemoryBudget: BodyMemoryBudget;
}

/**
 * `freeTerms` is for the body of an endpoint that never charges; of the others, see
 * `buildChargedTerms`.
 */
export const freeTerms = (
  { facts: { caller }, response }: Pick<CallNotes, "facts"> & Pick<SentAnswer, "response">,
  { bodyMemoryBudget }: ReadBodyDeps,
): BodyTerms => ({ room: bodyMemoryBudget.reserveUntilClosed(response, caller?.userId ?? 0) });

/**
 * Refuses before it buffers: a body that announces too much is not read, one that exceeds its
 * announcement is cut off. A body for which there is no memory is refused as early as that is
 * known.
 */
export function readBody(
  request: IncomingMessage,
  max: number,
  { room, refuseUnpaid }: BodyTerms,
): Promise<Buffer> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > max) return Promise.reject(refuseTooLarge(max));
  if (request.headers["content-encoding"] && request.headers["content-encoding"] !== "identity") {
    const message = "Compressed bodies are not accepted; send plain bytes";
    return Promise.reject(
      new RelayRefused({
        status: 415,
        type: "invalid_request_error",
        code: "unsupported_encoding",
        message,
      }),
    );
  }
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    let hasEnded = false;
    let mustPay = refuseUnpaid !== undefined;
    const rejectCutOff = (): void => {
      if (!hasEnded) reject(refuseBadRequest("invalid_text_request", "The body ended too early"));
    };
    // A client that disconnected during authentication emits no further events.
    if (request.destroyed) return rejectCutOff();
    const stop = (refused: unknown): void => {
      chunks = [];
      // Its memory is free at once: many that are read side by side would otherwise all be refused,
      // and none served.
      room.release();
      request.removeAllListeners("data");
      drain(request);
      reject(refused);
    };
    const early = room.shortageOf(announced);
    if (early) return stop(new RelayRefused(shortageRefusals[early]));
    /** Paying callers are known at once, and do not wait. */
    const checkPayment = (): void => {
      mustPay = false;
      try {
        const checked = refuseUnpaid?.(Buffer.concat(chunks, size));
        if (!checked) return;
        request.pause();
        checked.then(() => request.resume(), stop);
      } catch (refused) {
        stop(refused);
      }
    };
    watchBody(request, room.pace, () => stop(refuseBodyTooSlow()));
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > max) return stop(refuseTooLarge(max));
      const shortage = room.take(chunk.length);
      if (shortage) return stop(new RelayRefused(shortageRefusals[shortage]));
      chunks.push(chunk);
      if (mustPay && size > unpaidBodyMax) checkPayment();
    });
    request.on("end", () => {
      hasEnded = true;
      const [only] = chunks;
      resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks, size));
      // The request and its listeners live as long as the answer: a second copy of the body with
      // them.
      chunks = [];
    });
    request.on("error", rejectCutOff);
    request.on("close", rejectCutOff);
  });
}

/** The response that follows closes the connection a moment later. */
function drain(request: IncomingMessage): void {
  let drained = 0;
  request.on("data", (chunk: Buffer) => {
    drained += chunk.length;
    if (drained > drainedMax) request.pause();
  });
  request.resume();
}

const refuseTooLarge = (max: number): RelayRefused =>
  new RelayRefused({
    status: 413,
    type: "invalid_request_error",
    code: "request_too_large",
    message: `The body is larger than ${max / 1024 / 1024} MiB`,
    // The rest is not read: a client that never stops sending would keep the connection forever.
    closesConnection: true,
  });

/** `shortageRefusals` says why there is no memory for a body or message. */
export const shortageRefusals = {
  total: overloaded,
  share: {
    status: 429,
    type: "rate_limit_error",
    code: "too_much_at_once",
    message:
      "The calls of this account that run now hold as much memory as one account may take; try again when some have ended",
    retryAfter: 5,
    closesConnection: true,
  },
} as const satisfies Record<ShareShortage, object>;
