/**
 * Limits the memory of all request bodies and of the messages of WebSockets together. A body stays
 * in memory for as long as its call, so that it can be sent to another channel; a few dozen large
 * bodies at once exceed the memory of a small machine. What has come is counted, not what is
 * announced, and no user takes more than a share.
 */
import type { Writable } from "node:stream";
import { getHeapStatistics } from "node:v8";
import { ShareLedger, type ShareShortage } from "../limits/share-ledger.ts";
import { type BodyPace, crowdedBodyPace, relayBodyPace } from "./body-timeout.ts";
import { computeMemoryMax } from "./load-shedding.ts";

export interface BodyMemoryBudget {
  /** `reserve` is for what `userId` sends next; holds nothing yet, and must be released. */
  reserve(userId: number): BodyReservation;
  /**
   * `reserveUntilClosed` does the same for the body of a call: released when its response closes,
   * however it ends.
   */
  reserveUntilClosed(response: Writable, userId: number): BodyReservation;
  /** Bytes that further bodies may take. */
  room(): number;
}

/** The memory of one body or message. */
export interface BodyReservation {
  /** `holdsMemory` says whether it counts: small ones do not. */
  readonly holdsMemory: boolean;
  /**
   * Counts bytes that have come, or answers why there is no room for them. A negative number gives
   * some of them back.
   */
  take(bytes: number): ShareShortage | undefined;
  /** `shortageOf` gives what `take` would answer now; counts nothing. */
  shortageOf(bytes: number): ShareShortage | undefined;
  /** `pace` says how fast the rest must come. */
  pace(): BodyPace;
  /** Gives all of it back. From then on nothing is counted. */
  release(): void;
}

const mebi = 1024 * 1024;
/** The largest body that is read as a whole: a form with a recording, or with pictures to edit. */
export const largestBodyMax = 50 * mebi;
/** The largest body must fit on the smallest machine. */
const budgetMin = 64 * mebi;
/**
 * Most bodies are smaller than this. Together they do not fill the memory, so they are not counted.
 */
export const smallBodyMax = 64 * 1024;

/** While a JSON body is parsed, the heap holds a second copy of it. */
const computeDefaultBudget = (): number =>
  Math.max(budgetMin, Math.min(getHeapStatistics().heap_size_limit, computeMemoryMax()) / 2);

/** `bytesMax` bounds the sum of all bodies that are not small. */
export function createBodyMemoryBudget(
  bytesMax = computeDefaultBudget(),
  largestMax = largestBodyMax,
): BodyMemoryBudget {
  const ledger = new ShareLedger<number>(bytesMax, largestMax);
  const isCrowded = (): boolean => ledger.taken > ledger.total / 2;

  function reservation(userId: number, onCount: (release: () => void) => void): BodyReservation {
    let total = 0;
    let counted = 0;
    let isReleased = false;
    /** `countedOf` is about so many bytes in all. */
    const countedOf = (bytes: number): number => (bytes > smallBodyMax ? bytes : 0);
    const release = (): void => {
      isReleased = true;
      ledger.give(userId, counted);
      counted = 0;
    };
    return {
      get holdsMemory() {
        return counted > 0;
      },
      shortageOf(bytes) {
        const more = countedOf(total + bytes) - counted;
        return isReleased || more <= 0 ? undefined : ledger.shortageOf(userId, more);
      },
      take(bytes) {
        if (isReleased) return undefined;
        const more = countedOf(total + bytes) - counted;
        const shortage = more > 0 ? ledger.take(userId, more) : undefined;
        if (shortage !== undefined) return shortage;
        if (more < 0) ledger.give(userId, -more);
        const isFirst = counted === 0 && more > 0;
        total += bytes;
        counted += more;
        if (isFirst) onCount(release);
        return undefined;
      },
      pace: () => (counted > 0 && isCrowded() ? crowdedBodyPace : relayBodyPace),
      release,
    };
  }

  return {
    room: () => ledger.total - ledger.taken,
    reserve: (userId) => reservation(userId, () => undefined),
    reserveUntilClosed: (response, userId) =>
      reservation(userId, (release) => {
        // A client that has disconnected would never release it.
        if (response.closed) release();
        else response.once("close", release);
      }),
  };
}
