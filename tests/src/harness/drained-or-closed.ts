import type { EventEmitter } from "node:events";

/**
 * Until a stream takes more or has ended; both listeners are removed, for a long answer waits a
 * thousand times.
 */
export const drainedOrClosed = (stream: EventEmitter): Promise<void> =>
  new Promise((resolve) => {
    const go = () => {
      stream.off("drain", go).off("close", go);
      resolve();
    };
    stream.on("drain", go).on("close", go);
  });
