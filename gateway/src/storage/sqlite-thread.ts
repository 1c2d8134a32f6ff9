/** The main thread's end of a SQLite thread: gathers the calls of one turn of the event loop into one message. */
import { Worker } from "node:worker_threads";
import { Conflict, StatementMissed, StorageUnavailable } from "./database.ts";
import type { Answer, Failure, ThreadData } from "./sqlite-protocol.ts";

/** Calls that may wait at once; beyond it the caller is told to come back. */
const waitingMax = 20_000;

/** How long calls that nobody waits for may be gathered, and how many of them. */
const gatherMs = 4;
const gatheredMax = 128;

export interface SqliteThread<Work extends unknown[]> {
  call(...work: Work): Promise<unknown>;
  /** The same for calls that nobody waits for: they travel together, a few milliseconds later. */
  callLater(...work: Work): Promise<unknown>;
  /** Whether nothing is under way in the thread and nothing waits to be sent at once. */
  rests(): boolean;
  close(): Promise<void>;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * With `batches`, calls that come while the thread is at work wait here and go together when it has answered: it wakes up
 * once for all of them, and does them in one transaction. A call that comes when it rests goes at once.
 */
export function startSqliteThread<Work extends unknown[]>(
  program: URL,
  data: ThreadData,
  onDeath: (error: Error) => void,
  { batches }: { batches: boolean },
): SqliteThread<Work> {
  const worker = new Worker(program, { workerData: data });
  const waiting = new Map<number, Waiting>();
  let outgoing: [number, ...Work][] = [];
  let gathered: [number, ...Work][] = [];
  let sequence = 0;
  /** Calls that were posted and not answered yet. */
  let underWay = 0;
  let closing = false;

  worker.on("message", (answers: Answer[]) => {
    for (const [number, failure, value] of answers) {
      const caller = waiting.get(number);
      waiting.delete(number);
      if (failure) caller?.reject(errorOf(failure));
      else caller?.resolve(value);
    }
    underWay -= answers.length;
    if (outgoing.length > 0) send();
  });
  worker.on("error", die);
  const exited = new Promise<void>((resolve) => {
    worker.on("exit", () => {
      if (!closing) die(new Error("the SQLite thread ended"));
      resolve();
    });
  });

  function die(error: unknown): void {
    const cause = error instanceof Error ? error : new Error(String(error));
    for (const caller of waiting.values()) caller.reject(new StorageUnavailable(cause.message));
    waiting.clear();
    onDeath(cause);
  }

  function post(calls: [number, ...Work][]): void {
    underWay += calls.length;
    worker.postMessage(calls);
  }

  function send(): void {
    if (outgoing.length === 0 || (batches && underWay > 0 && !closing)) return;
    const calls = outgoing;
    outgoing = [];
    post(calls);
  }

  function sendGathered(): void {
    if (gathered.length === 0) return;
    const calls = gathered;
    gathered = [];
    post(calls);
  }

  function enqueue(work: Work, add: (call: [number, ...Work]) => void): Promise<unknown> {
    if (closing) return Promise.reject(new StorageUnavailable("storage is closing"));
    if (waiting.size >= waitingMax) return Promise.reject(new StorageUnavailable("too many calls wait for storage"));
    return new Promise((resolve, reject) => {
      sequence += 1;
      waiting.set(sequence, { resolve, reject });
      add([sequence, ...work]);
    });
  }

  return {
    call: (...work) =>
      enqueue(work, (call) => {
        if (outgoing.push(call) === 1) setImmediate(send);
      }),
    callLater: (...work) =>
      enqueue(work, (call) => {
        const size = gathered.push(call);
        if (size === 1) setTimeout(sendGathered, gatherMs);
        else if (size >= gatheredMax) sendGathered();
      }),
    rests: () => underWay === 0 && outgoing.length === 0 && !closing,
    async close() {
      closing = true;
      sendGathered();
      if (outgoing.length > 0) send();
      worker.postMessage("close");
      await exited;
    },
  };
}

function errorOf(failure: Failure): Error {
  switch (failure.kind) {
    case "missed":
      return new StatementMissed(failure.index);
    case "conflict":
      return new Conflict(failure.constraint);
    case "unavailable":
      return new StorageUnavailable(failure.message);
    case "bug":
      return new Error(failure.message);
  }
}
