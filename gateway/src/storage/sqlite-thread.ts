/**
 * The main thread's side of a SQLite thread: sends the calls of one tick of the event loop as one
 * message.
 */
import { Worker } from "node:worker_threads";
import { StorageUnavailable } from "./database.ts";
import type { SqliteFailure, SqliteReply, SqliteThreadData } from "./sqlite-protocol.ts";

/** Maximum number of waiting calls; further calls are rejected as unavailable. */
const pendingMax = 20_000;

/**
 * `endsGatheredMs` says how long, and how many, calls without a waiting client are collected: many
 * cost the thread little more than one.
 */
const endsGatheredMs = 8;
const batchSizeMax = 128;

export interface SqliteThread<Work extends unknown[]> {
  call(...work: Work): Promise<unknown>;
  /**
   * `enqueue` does the same for calls without a waiting client: sent together, a few milliseconds
   * later.
   */
  enqueue(...work: Work): Promise<unknown>;
  /**
   * `isIdle` says whether the thread has no call in flight and no call waits to be sent
   * immediately.
   */
  isIdle(): boolean;
  /** Calls that the thread has, and calls that have not been sent to it. */
  load(): { active: number; waiting: number };
  close(): Promise<void>;
}

interface PendingRequest {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * `startSqliteThread` with `batches` lets calls that arrive while the thread is busy wait here, and
 * sends them together after its reply: the thread wakes up once and runs them in one transaction. A
 * call that arrives while it is idle is sent immediately.
 */
export function startSqliteThread<Work extends unknown[]>(
  program: URL,
  data: SqliteThreadData,
  onFatal: (error: Error) => void,
  { batches }: { batches: boolean },
): SqliteThread<Work> {
  const worker = new Worker(program, { workerData: data });
  const pending = new Map<number, PendingRequest>();
  let outgoing: [number, ...Work][] = [];
  let batched: [number, ...Work][] = [];
  let sequence = 0;
  /** Calls that were posted and have no reply yet. */
  let inFlight = 0;
  let isClosing = false;

  worker.on("message", (replies: SqliteReply[]) => {
    for (const [number, failure, value] of replies) {
      const request = pending.get(number);
      pending.delete(number);
      if (failure) request?.reject(buildError(failure));
      else request?.resolve(value);
    }
    inFlight -= replies.length;
    if (outgoing.length > 0) send();
  });
  worker.on("error", fail);
  const exited = new Promise<void>((resolve) => {
    worker.on("exit", () => {
      if (!isClosing) fail(new Error("the SQLite thread ended"));
      resolve();
    });
  });

  function fail(error: unknown): void {
    const cause = error instanceof Error ? error : new Error(String(error));
    for (const request of pending.values()) request.reject(new StorageUnavailable(cause.message));
    pending.clear();
    onFatal(cause);
  }

  function post(calls: [number, ...Work][]): void {
    inFlight += calls.length;
    worker.postMessage(calls);
  }

  function send(): void {
    if (outgoing.length === 0 || (batches && inFlight > 0 && !isClosing)) return;
    const calls = outgoing;
    outgoing = [];
    post(calls);
  }

  function sendBatched(): void {
    if (batched.length === 0) return;
    const calls = batched;
    batched = [];
    post(calls);
  }

  function submit(work: Work, add: (call: [number, ...Work]) => void): Promise<unknown> {
    if (isClosing) return Promise.reject(new StorageUnavailable("storage is closing"));
    if (pending.size >= pendingMax)
      return Promise.reject(new StorageUnavailable("too many calls wait for storage"));
    return new Promise((resolve, reject) => {
      sequence += 1;
      pending.set(sequence, { resolve, reject });
      add([sequence, ...work]);
    });
  }

  return {
    call: (...work) =>
      submit(work, (call) => {
        if (outgoing.push(call) === 1) setImmediate(send);
      }),
    enqueue: (...work) =>
      submit(work, (call) => {
        const size = batched.push(call);
        if (size === 1) setTimeout(sendBatched, endsGatheredMs);
        else if (size >= batchSizeMax) sendBatched();
      }),
    isIdle: () => inFlight === 0 && outgoing.length === 0 && !isClosing,
    load: () => ({ active: inFlight, waiting: outgoing.length + batched.length }),
    async close() {
      isClosing = true;
      sendBatched();
      if (outgoing.length > 0) send();
      worker.postMessage("close");
      await exited;
    },
  };
}

/**
 * A rejection that the caller may expect; the database turns it into `StaleWrite` or `Conflict`.
 */
export class RejectedStatement extends Error {
  readonly failure: SqliteFailure & { kind: "missed" | "conflict" };
  constructor(failure: RejectedStatement["failure"]) {
    super(failure.kind);
    this.failure = failure;
  }
}

function buildError(failure: SqliteFailure): Error {
  switch (failure.kind) {
    case "missed":
    case "conflict":
      return new RejectedStatement(failure);
    case "unavailable":
      return new StorageUnavailable(failure.message);
    case "bug":
      return new Error(failure.message);
  }
}
