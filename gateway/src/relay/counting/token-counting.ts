/**
 * Counts the tokens of calls whose provider did not, in a thread of its own that lives while it is needed. Whatever goes
 * wrong there, or takes too long, leaves the estimate standing.
 */
import { Worker } from "node:worker_threads";
import type { SampledText } from "./text-sample.ts";
import type { TokenEncoding } from "./tokenizer.ts";

export interface TokenCountRequest {
  model: string;
  /** A call's JSON body. */
  body?: Uint8Array<ArrayBuffer> | undefined;
  /** What was written. */
  output?: SampledText | undefined;
}

export interface TokenCountResult {
  encoding: TokenEncoding;
  /** Undefined where nothing was found to count. */
  prompt: number | undefined;
  output: number | undefined;
  /** Of a long text not every part was counted. */
  isSampled: boolean;
}

export interface TokenCounting {
  /** Tokens of a prompt and of what was delivered; undefined where they cannot be counted in time. Never throws. */
  count(model: string, body: Buffer | undefined, output?: SampledText): Promise<TokenCountResult | undefined>;
  close(): Promise<void>;
}

/** A larger one is nearly always pictures, and its text is not worth the memory. */
const bodyMax = 8 * 1024 * 1024;
const pendingMax = 256;
const pendingBytesMax = 32 * 1024 * 1024;
/** Ranks and code take 100 MB while the thread is there. */
const heapMaxMegabytes = 256;

interface CountingLimits {
  /** How long a count may take: the hold of its call waits for it. */
  deadlineMs: number;
  /** How long the thread stays when nobody asks. */
  idleMs: number;
}

interface PendingCount {
  bytes: number;
  resolve(answer: TokenCountResult | undefined): void;
  deadline: NodeJS.Timeout;
}

const defaultCountingLimits: CountingLimits = { deadlineMs: 10_000, idleMs: 120_000 };

/** While it is not on, estimates are what the operator wants. */
export function createTokenCounting(
  isOn: () => boolean,
  { deadlineMs, idleMs } = defaultCountingLimits,
): TokenCounting {
  const pending = new Map<number, PendingCount>();
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let sequence = 0;
  let pendingBytes = 0;

  function answered(id: number, answer: TokenCountResult | undefined): void {
    const waiter = pending.get(id);
    if (!waiter) return;
    pending.delete(id);
    pendingBytes -= waiter.bytes;
    clearTimeout(waiter.deadline);
    waiter.resolve(answer);
    if (pending.size === 0) idle = setTimeout(() => void stopThread(), idleMs).unref();
  }

  /** Nobody gets an answer any more; the next question starts another thread. */
  async function stopThread(): Promise<void> {
    const ended = worker;
    worker = undefined;
    clearTimeout(idle);
    for (const id of [...pending.keys()]) answered(id, undefined);
    clearTimeout(idle);
    await ended?.terminate();
  }

  function startThread(): Worker {
    const started = new Worker(new URL("./tokenizer-thread.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMaxMegabytes },
    });
    started.unref();
    started.on("message", ({ id, answer }: { id: number; answer: TokenCountResult }) => answered(id, answer));
    // What it could not count is lost with it; the calls go by their estimates.
    started.on("error", () => {
      if (worker === started) void stopThread();
    });
    return started;
  }

  function submit(request: TokenCountRequest, bytes: number): Promise<TokenCountResult | undefined> {
    clearTimeout(idle);
    worker ??= startThread();
    sequence += 1;
    const id = sequence;
    pendingBytes += bytes;
    const answer = new Promise<TokenCountResult | undefined>((resolve) => {
      // One that takes too long holds up all others.
      pending.set(id, { bytes, resolve, deadline: setTimeout(() => void stopThread(), deadlineMs).unref() });
    });
    worker.postMessage({ id, question: request }, request.body ? [request.body.buffer] : []);
    return answer;
  }

  return {
    async count(model, body, output) {
      const isSent = body !== undefined && body.length > 0 && body.length <= bodyMax;
      const bytes = isSent ? body.length : 0;
      if (!isOn() || pending.size >= pendingMax || pendingBytes + bytes > pendingBytesMax) return undefined;
      try {
        return await submit({ model, body: isSent ? new Uint8Array(body) : undefined, output }, bytes);
      } catch {
        // No thread can be started just now.
        return undefined;
      }
    },
    close: stopThread,
  };
}
