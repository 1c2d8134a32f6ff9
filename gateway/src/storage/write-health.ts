/**
 * The health of SQLite's writes: a full or locked disk answers reads as ever, while every call that
 * holds money is refused.
 */
import { RejectedWrite, StorageUnavailable } from "./database.ts";

/** `probeEveryMs` is how often a row is written to see whether writes work again. */
export const probeEveryMs = 2_000;
/**
 * `unwritableAfterMs` is how long writes fail before the gateway calls itself unready: one busy
 * moment ends no traffic.
 */
export const unwritableAfterMs = 5_000;

export interface WriteHealth {
  /** `noteEnd` is told the end of each write. A lost race for a row is a write that works. */
  noteEnd(error?: unknown): void;
  isWritable(): boolean;
  stop(): void;
}

/** `probe` writes one row; `now` is in milliseconds. */
export function watchWrites(
  probe: () => Promise<unknown>,
  now: () => number = Date.now,
): WriteHealth {
  let failingSince: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const scheduleProbe = (): void => {
    if (isStopped || failingSince === undefined) return;
    timer = setTimeout(() => void probe().then(noteWorking, scheduleProbe), probeEveryMs).unref();
  };
  function noteWorking(): void {
    failingSince = undefined;
    clearTimeout(timer);
  }
  return {
    noteEnd(error) {
      if (error === undefined || error instanceof RejectedWrite) {
        if (failingSince !== undefined) noteWorking();
        return;
      }
      if (failingSince !== undefined || !(error instanceof StorageUnavailable)) return;
      failingSince = now();
      scheduleProbe();
    },
    isWritable: () => failingSince === undefined || now() - failingSince < unwritableAfterMs,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
