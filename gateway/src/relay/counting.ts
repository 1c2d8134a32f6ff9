/**
 * Counts the tokens of calls whose provider did not, in a thread of its own that lives while it is needed. Whatever goes
 * wrong there, or takes too long, leaves the estimate standing.
 */
import { Worker } from "node:worker_threads";
import type { Sampled } from "./text-sample.ts";
import type { Encoding } from "./tokenizer.ts";

export interface CountQuestion {
  model: string;
  /** A call's JSON body. */
  body?: Uint8Array<ArrayBuffer> | undefined;
  /** What was written. */
  output?: Sampled | undefined;
}

export interface CountAnswer {
  encoding: Encoding;
  /** Undefined where nothing was found to count. */
  prompt: number | undefined;
  output: number | undefined;
  /** Of a long text not every part was counted. */
  isSampled: boolean;
}

export interface Counting {
  /** Tokens of a prompt and of what was delivered; undefined where they cannot be counted in time. Never throws. */
  count(model: string, body: Buffer | undefined, output?: Sampled): Promise<CountAnswer | undefined>;
  close(): Promise<void>;
}

/** A larger one is nearly always pictures, and its text is not worth the memory. */
const bodyMax = 8 * 1024 * 1024;
const waitingMax = 256;
const waitingBytesMax = 32 * 1024 * 1024;
/** Ranks and code take 100 MB while the thread is there. */
const heapMaxMegabytes = 256;

interface Limits {
  /** How long a count may take: the hold of its call waits for it. */
  deadlineMs: number;
  /** How long the thread stays when nobody asks. */
  idleMs: number;
}

interface Waiting {
  bytes: number;
  resolve(answer: CountAnswer | undefined): void;
  deadline: NodeJS.Timeout;
}

const usualLimits: Limits = { deadlineMs: 10_000, idleMs: 120_000 };

/** While it is not on, estimates are what the operator wants. */
export function openCounting(isOn: () => boolean, { deadlineMs, idleMs } = usualLimits): Counting {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let sequence = 0;
  let waitingBytes = 0;

  function answered(id: number, answer: CountAnswer | undefined): void {
    const asked = waiting.get(id);
    if (!asked) return;
    waiting.delete(id);
    waitingBytes -= asked.bytes;
    clearTimeout(asked.deadline);
    asked.resolve(answer);
    if (waiting.size === 0) idle = setTimeout(() => void end(), idleMs).unref();
  }

  /** Nobody gets an answer any more; the next question starts another thread. */
  async function end(): Promise<void> {
    const ended = worker;
    worker = undefined;
    clearTimeout(idle);
    for (const id of [...waiting.keys()]) answered(id, undefined);
    clearTimeout(idle);
    await ended?.terminate();
  }

  function start(): Worker {
    const started = new Worker(new URL("./tokenizer-thread.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMaxMegabytes },
    });
    started.unref();
    started.on("message", ({ id, answer }: { id: number; answer: CountAnswer }) => answered(id, answer));
    // What it could not count is lost with it; the calls go by their estimates.
    started.on("error", () => {
      if (worker === started) void end();
    });
    return started;
  }

  function ask(question: CountQuestion, bytes: number): Promise<CountAnswer | undefined> {
    clearTimeout(idle);
    worker ??= start();
    sequence += 1;
    const id = sequence;
    waitingBytes += bytes;
    const answer = new Promise<CountAnswer | undefined>((resolve) => {
      // One that takes too long holds up all others.
      waiting.set(id, { bytes, resolve, deadline: setTimeout(() => void end(), deadlineMs).unref() });
    });
    worker.postMessage({ id, question }, question.body ? [question.body.buffer] : []);
    return answer;
  }

  return {
    async count(model, body, output) {
      const isSent = body !== undefined && body.length > 0 && body.length <= bodyMax;
      const bytes = isSent ? body.length : 0;
      if (!isOn() || waiting.size >= waitingMax || waitingBytes + bytes > waitingBytesMax) return undefined;
      try {
        return await ask({ model, body: isSent ? new Uint8Array(body) : undefined, output }, bytes);
      } catch {
        // No thread can be started just now.
        return undefined;
      }
    },
    close: end,
  };
}
