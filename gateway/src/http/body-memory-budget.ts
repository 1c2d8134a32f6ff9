/**
 * How much of everybody's bodies may lie in memory at once. A body stays for as long as its call, so that it can be sent to
 * another channel: a few dozen large ones at the same moment are more than a small machine has.
 */
import type { ServerResponse } from "node:http";
import { getHeapStatistics } from "node:v8";
import { memoryMax } from "./load-shedding.ts";

/** Takes so many bytes more for the body of one call; false where there is no room for them. */
export type ReserveBytes = (bytes: number) => boolean;

export interface BodyMemoryBudget {
  /** What the call of this answer takes is given back when the answer is over, however it ends. */
  reserveUntilClosed(response: ServerResponse): ReserveBytes;
}

const mebi = 1024 * 1024;
/** The largest body must find room on the smallest machine. */
const budgetMin = 64 * mebi;
/** Most calls are smaller than this, and all of them together are not what fills the memory: they are not counted. */
const smallBodyMax = 64 * 1024;

/** While a JSON body is read, there is a second copy of it in the heap. */
const defaultBudget = (): number => Math.max(budgetMin, Math.min(getHeapStatistics().heap_size_limit, memoryMax()) / 2);

/** `bytesMax` is what all bodies that are not small may have together. */
export function createBodyMemoryBudget(bytesMax = defaultBudget()): BodyMemoryBudget {
  let reserved = 0;
  return {
    reserveUntilClosed(response) {
      let own = 0;
      let counted = 0;
      return (bytes) => {
        const requested = own + bytes;
        // Who has left gives nothing back any more.
        const isCounted = requested > smallBodyMax && !response.closed;
        if (isCounted && reserved + requested - counted > bytesMax) return false;
        own = requested;
        if (!isCounted) return true;
        if (counted === 0)
          response.once("close", () => {
            reserved -= counted;
          });
        reserved += own - counted;
        counted = own;
        return true;
      };
    },
  };
}
