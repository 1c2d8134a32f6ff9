/**
 * Counts the tokens of calls whose provider reported none, in a worker thread that lives while it
 * is needed. If counting fails or takes too long, the estimate stands.
 */
import { Worker } from "node:worker_threads";
import type { SampledText } from "./text-sample.ts";
import type { TokenEncoding } from "./tokenizer.ts";

export interface TokenCountRequest {
  model: string;
  /** A call's JSON body. */
  body?: Uint8Array<ArrayBuffer> | undefined;
  /** The generated text. */
  output?: SampledText | undefined;
}

export interface TokenCountResult {
  encoding: TokenEncoding;
  /** Undefined when nothing was found to count. */
  prompt: number | undefined;
  output: number | undefined;
  /** Only a sample of a long text was counted. */
  isSampled: boolean;
}

export interface TokenCounting {
  /**
   * Tokens of a prompt and of the delivered output; undefined when they cannot be counted in time.
   * Never throws.
   */
  count(
    model: string,
    body: Buffer | undefined,
    output?: SampledText,
  ): Promise<TokenCountResult | undefined>;
  close(): Promise<void>;
}

/** Larger bodies are nearly always images, and their text is not worth the memory. */
const bodyMax = 8 * 1024 * 1024;
const pendingMax = 256;
const pendingBytesMax = 32 * 1024 * 1024;
/** The thread's code and tables take 100 MB. */
const heapMaxMegabytes = 256;

interface CountingLimits {
  /** `deadlineMs` says how long a count may take; the settlement of the call waits for it. */
  deadlineMs: number;
  /** `idleMs` says how long the thread stays alive without requests. */
  idleMs: number;
}

interface PendingCount {
  bytes: number;
  resolve(answer: TokenCountResult | undefined): void;
  deadline: NodeJS.Timeout;
}

const defaultCountingLimits: CountingLimits = { deadlineMs: 10_000, idleMs: 120_000 };

/** While `isOn` is false, the operator wants estimates. */
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

  /** Pending requests resolve to undefined; the next request starts another thread. */
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
    started.on("message", ({ id, answer }: { id: number; answer: TokenCountResult }) =>
      answered(id, answer),
    );
    // Pending requests are lost with the thread; their calls use the estimates.
    started.on("error", () => {
      if (worker === started) void stopThread();
    });
    return started;
  }

  function submit(
    request: TokenCountRequest,
    bytes: number,
  ): Promise<TokenCountResult | undefined> {
    clearTimeout(idle);
    worker ??= startThread();
    sequence += 1;
    const id = sequence;
    pendingBytes += bytes;
    const answer = new Promise<TokenCountResult | undefined>((resolve) => {
      // A request that takes too long delays all others, so the thread ends with it.
      pending.set(id, {
        bytes,
        resolve,
        deadline: setTimeout(() => void stopThread(), deadlineMs).unref(),
      });
    });
    worker.postMessage({ id, question: request }, request.body ? [request.body.buffer] : []);
    return answer;
  }

  return {
    async count(model, body, output) {
      const isSent = body !== undefined && body.length > 0 && body.length <= bodyMax;
      const bytes = isSent ? body.length : 0;
      if (!isOn() || pending.size >= pendingMax || pendingBytes + bytes > pendingBytesMax)
        return undefined;
      try {
        return await submit(
          { model, body: isSent ? new Uint8Array(body) : undefined, output },
          bytes,
        );
      } catch {
        // No thread can be started at the moment.
        return undefined;
      }
    },
    close: stopThread,
  };
}
