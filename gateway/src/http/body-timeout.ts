/** Times out request bodies that arrive too slowly. */
import type { IncomingMessage } from "node:http";

export interface BodyPace {
  /** No body is too slow before this. */
  graceMs: number;
  /** Average rate since `fromMs`; 0 requires nothing but completion within the grace period. */
  bytesPerSecond: number;
  /** Time after the first byte that does not count; 0 where missing. */
  fromMs?: number;
}

/** The minimum pace of a relay body: slower than any line of this century. */
export const relayBodyPace: BodyPace = { graceMs: 15_000, bytesPerSecond: 1_000 };
/**
 * While others wait for memory, a body may hold its own for half a minute and the time that a line
 * of 200 kbit/s takes.
 */
export const crowdedBodyPace: BodyPace = {
  graceMs: 30_000,
  bytesPerSecond: 25_000,
  fromMs: 30_000,
};
/** Bodies of the management API are small. */
export const apiBodyPace: BodyPace = { graceMs: 60_000, bytesPerSecond: 0 };

export const isTooSlow = (
  { graceMs, bytesPerSecond, fromMs = 0 }: BodyPace,
  elapsedMs: number,
  bytes: number,
): boolean =>
  elapsedMs >= graceMs &&
  (bytesPerSecond === 0 || bytes < ((elapsedMs - fromMs) / 1000) * bytesPerSecond);

export const bodyCheckIntervalMs = 1_000;

/** Calls `onSlow` at most once, while the body is still arriving. `pace` is asked at each check. */
export function watchBody(
  request: IncomingMessage,
  pace: () => BodyPace,
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
    const isSlow = !isOver && isTooSlow(pace(), now() - began, socket.bytesRead - bytesBefore);
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
