/** Collects what the start left behind. */
import { getHeapStatistics } from "node:v8";

/** The background jobs have run once by then. */
const defaultAfterMs = 10_000;
/**
 * `defaultIdleBytesMax` is the heap above which calls run already, and V8 collects because of them.
 * After a start 28 MB are in use.
 */
const defaultIdleBytesMax = 48 * 1024 * 1024;

interface StartGarbageBounds {
  afterMs?: number;
  idleBytesMax?: number;
}

/**
 * An idle gateway allocates so little that V8 keeps the large young generation of the start for a
 * minute and longer: 12 MB. One collection of 50 ms returns them, where Node was started with
 * `--expose-gc`.
 */
export function collectStartGarbage({
  afterMs = defaultAfterMs,
  idleBytesMax = defaultIdleBytesMax,
}: StartGarbageBounds = {}): void {
  const collect = (): void => {
    if (getHeapStatistics().used_heap_size <= idleBytesMax) globalThis.gc?.();
  };
  setTimeout(collect, afterMs).unref();
}
