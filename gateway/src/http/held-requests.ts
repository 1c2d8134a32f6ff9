/**
 * Holds requests that arrive before the gateway may answer them. Their clients wait as for a slow
 * answer.
 */
import type { Server } from "node:http";

const events = ["request", "upgrade"] as const;

/**
 * `holdRequests` keeps requests from every listener of the server, until the returned function lets
 * the waiting ones and all others through.
 */
export function holdRequests(server: Server): () => void {
  const waiting: (() => void)[] = [];
  const held = events.map((event) => {
    const listeners = server.rawListeners(event) as ((...args: unknown[]) => void)[];
    const hold = (...args: unknown[]): void => void waiting.push(() => server.emit(event, ...args));
    server.removeAllListeners(event).on(event, hold);
    return { event, listeners, hold };
  });
  return () => {
    for (const { event, listeners, hold } of held) {
      server.off(event, hold);
      for (const listener of listeners) server.on(event, listener);
    }
    for (const answer of waiting.splice(0)) answer();
  };
}
