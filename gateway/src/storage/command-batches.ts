/**
 * Sends commands together: those that wait while others are under way go as one statement, in one
 * transaction.
 */
import { StorageUnavailable } from "./database.ts";

export interface CommandBatchesOptions<Command, Result> {
  /** `runTogether` gives all or none; the results in the order of the commands. */
  runTogether(commands: readonly Command[]): Promise<readonly Result[]>;
  runAlone(command: Command, isRepeated: boolean): Promise<Result>;
  /**
   * `delayMs` says how long the first command waits for others; 0 is until the end of the turn of
   * the event loop.
   */
  delayMs: number;
  /** Commands of one batch: a larger one would keep its rows locked for too long. */
  sizeMax: number;
  /** Batches under way at a time. */
  inFlightMax: number;
  /**
   * `patienceMs` says how long commands wait for the batch before them, so that more of them go
   * together. A full batch does not wait.
   */
  patienceMs: number;
}

interface WaitingCommand<Command, Result> {
  command: Command;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * A batch that fails has changed nothing, and each of its commands runs alone: one that is at fault
 * fails no other. Only while storage is unavailable all of them fail, as they would alone.
 */
export function createCommandBatches<Command, Result>({
  runTogether,
  runAlone,
  delayMs,
  sizeMax,
  inFlightMax,
  patienceMs,
}: CommandBatchesOptions<Command, Result>): (command: Command) => Promise<Result> {
  let waiting: WaitingCommand<Command, Result>[] = [];
  let inFlight = 0;
  let sentAt = Number.NEGATIVE_INFINITY;
  let isTimed = false;

  async function runBatch(batch: readonly WaitingCommand<Command, Result>[]): Promise<void> {
    const [first] = batch;
    if (first && batch.length === 1) {
      await runAlone(first.command, false).then(first.resolve, first.reject);
      return;
    }
    try {
      const results = await runTogether(batch.map(({ command }) => command));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (error instanceof StorageUnavailable) for (const { reject } of batch) reject(error);
      // The outcome of an attempt may have been lost with its connection.
      else
        await Promise.all(
          batch.map((one) => runAlone(one.command, true).then(one.resolve, one.reject)),
        );
    }
  }

  function send(): void {
    while (waiting.length > 0 && inFlight < inFlightMax) {
      const patience =
        inFlight > 0 && waiting.length < sizeMax ? sentAt + patienceMs - performance.now() : 0;
      if (patience > 0) {
        sendIn(patience);
        return;
      }
      sentAt = performance.now();
      const batch = waiting.slice(0, sizeMax);
      waiting = waiting.slice(sizeMax);
      inFlight += 1;
      void runBatch(batch).finally(() => {
        inFlight -= 1;
        send();
      });
    }
  }

  function sendIn(ms: number): void {
    if (isTimed) return;
    isTimed = true;
    setTimeout(() => {
      isTimed = false;
      send();
    }, ms);
  }

  return (command) =>
    new Promise((resolve, reject) => {
      const size = waiting.push({ command, resolve, reject });
      if (size === 1) {
        if (delayMs > 0) setTimeout(send, delayMs);
        else setImmediate(send);
      } else if (size >= sizeMax) send();
    });
}
