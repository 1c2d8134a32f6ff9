/**
 * Limits the memory of all request bodies together. A body stays in memory for as long as its call, so that it can be
 * sent to another channel; a few dozen large bodies at once exceed the memory of a small machine.
 */
import type { Writable } from "node:stream";
import { getHeapStatistics } from "node:v8";
import { memoryMax } from "./load-shedding.ts";

/** Reserves more bytes for the body of one call; false when the budget has no room for them. */
export type ReserveBytes = (bytes: number) => boolean;

export interface BodyMemoryBudget {
  /** The reservation of a call is released when its response closes, however it ends. */
  reserveUntilClosed(response: Writable): ReserveBytes;
  /** Bytes that further bodies may take. */
  room(): number;
}

const mebi = 1024 * 1024;
/** The largest body must fit on the smallest machine. */
const budgetMin = 64 * mebi;
/** Most bodies are smaller than this. Together they do not fill the memory, so they are not counted. */
const smallBodyMax = 64 * 1024;

/** While a JSON body is parsed, the heap holds a second copy of it. */
const defaultBudget = (): number => Math.max(budgetMin, Math.min(getHeapStatistics().heap_size_limit, memoryMax()) / 2);

/** `bytesMax` bounds the sum of all bodies that are not small. */
export function createBodyMemoryBudget(bytesMax = defaultBudget()): BodyMemoryBudget {
  let reserved = 0;
  return {
    room: () => bytesMax - reserved,
    reserveUntilClosed(response) {
      let total = 0;
      let counted = 0;
      return (bytes) => {
        const requested = total + bytes;
        // A client that has disconnected would never release its reservation.
        const isCounted = requested > smallBodyMax && !response.closed;
        if (isCounted && reserved + requested - counted > bytesMax) return false;
        total = requested;
        if (!isCounted) return true;
        if (counted === 0)
          response.once("close", () => {
            reserved -= counted;
          });
        reserved += total - counted;
        counted = total;
        return true;
      };
    },
  };
}
