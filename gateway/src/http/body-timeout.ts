/** Bodies that come so slowly that their connection is not worth keeping. */
import type { IncomingMessage } from "node:http";

export interface BodyPace {
  /** Nobody is slow before. */
  graceMs: number;
  /** From the beginning on; 0 asks for nothing but to be done within the grace. */
  bytesPerSecond: number;
}

/** What a call of the relay must keep to: slower than any line of this century. */
export const relayBodyPace: BodyPace = { graceMs: 15_000, bytesPerSecond: 1_000 };
/** Bodies of the management API are small. */
export const apiBodyPace: BodyPace = { graceMs: 60_000, bytesPerSecond: 0 };

export const isTooSlow = ({ graceMs, bytesPerSecond }: BodyPace, elapsedMs: number, bytes: number): boolean =>
  elapsedMs >= graceMs && (bytesPerSecond === 0 || bytes < (elapsedMs / 1000) * bytesPerSecond);

const bodyCheckIntervalMs = 1_000;

/** Calls `onSlow` at most once, while the body is still coming. */
export function watchBody(
  request: IncomingMessage,
  pace: BodyPace,
  onSlow: () => void,
  now: () => number = () => performance.now(),
  everyMs = bodyCheckIntervalMs,
): void {
  // Most bodies came with their head: they cost no timer.
  if (request.complete || request.destroyed) return;
  const { socket } = request;
  const began = now();
  const bytesBefore = socket.bytesRead;
  const timer = setInterval(() => {
    const isOver = request.complete || request.destroyed;
    const isSlow = !isOver && isTooSlow(pace, now() - began, socket.bytesRead - bytesBefore);
    if (isOver || isSlow) clearInterval(timer);
    if (isSlow) onSlow();
  }, everyMs);
  request.once("close", () => clearInterval(timer));
}

/** As node itself ends a request whose head takes too long. */
export function respondRequestTimeout({ socket }: IncomingMessage): void {
  socket.write("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n");
  socket.destroySoon();
}
