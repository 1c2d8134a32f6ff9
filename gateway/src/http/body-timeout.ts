/** Times out request bodies that arrive too slowly. */
import type { IncomingMessage } from "node:http";

export interface BodyPace {
  /** No body is too slow before this. */
  graceMs: number;
  /** Average rate since the first byte; 0 requires nothing but completion within the grace period. */
  bytesPerSecond: number;
}

/** The minimum pace of a relay body: slower than any line of this century. */
export const relayBodyPace: BodyPace = { graceMs: 15_000, bytesPerSecond: 1_000 };
/** Bodies of the management API are small. */
export const apiBodyPace: BodyPace = { graceMs: 60_000, bytesPerSecond: 0 };

export const isTooSlow = ({ graceMs, bytesPerSecond }: BodyPace, elapsedMs: number, bytes: number): boolean =>
  elapsedMs >= graceMs && (bytesPerSecond === 0 || bytes < (elapsedMs / 1000) * bytesPerSecond);

const bodyCheckIntervalMs = 1_000;

/** Calls `onSlow` at most once, while the body is still arriving. */
export function watchBody(
  request: IncomingMessage,
  pace: BodyPace,
  onSlow: () => void,
  now: () => number = () => performance.now(),
  everyMs = bodyCheckIntervalMs,
): void {
  // Most bodies arrive together with the head; they cost no timer.
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

/** Responds as node does to a request whose head takes too long. */
export function respondRequestTimeout({ socket }: IncomingMessage): void {
  socket.write("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n");
  socket.destroySoon();
}
