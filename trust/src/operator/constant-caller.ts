/** A client that never stops calling: from its successes the time without service is read. */
import { setTimeout as pause } from "node:timers/promises";

/** Between two calls; a shorter time without service is not seen. */
const everyMs = 50;

export interface ConstantCaller {
  /** Waits for the running call, and makes none until `resume`. */
  pause(): Promise<void>;
  resume(): void;
  /** The longest time between two answers since the last reading, in milliseconds. */
  takeLongestGap(): number;
  /** Waits for the next answer. */
  nextAnswer(): Promise<void>;
  calls(): number;
  stop(): Promise<void>;
}

/** `call` resolves to the status of an answer that was read to its end. */
export function startConstantCaller(call: () => Promise<number>): ConstantCaller {
  let [answers, lastAnswerAt, longestGapMs] = [0, performance.now(), 0];
  let [isPaused, isOver] = [false, false];
  let running: Promise<unknown> = Promise.resolve();

  const callOnce = async (): Promise<void> => {
    const status = await call().catch(() => 0);
    if (status !== 200) return;
    const now = performance.now();
    longestGapMs = Math.max(longestGapMs, now - lastAnswerAt);
    lastAnswerAt = now;
    answers += 1;
  };
  const done = (async () => {
    while (!isOver) {
      if (!isPaused) {
        running = callOnce();
        await running;
      }
      await pause(everyMs);
    }
  })();

  return {
    async pause() {
      isPaused = true;
      await running;
    },
    resume() {
      isPaused = false;
    },
    takeLongestGap() {
      const gapMs = longestGapMs;
      longestGapMs = 0;
      return gapMs;
    },
    async nextAnswer() {
      const before = answers;
      for (let left = nextAnswerMs / everyMs; answers === before; left -= 1) {
        if (left <= 0) throw new Error("no call was answered for a minute");
        await pause(everyMs);
      }
    },
    calls: () => answers,
    async stop() {
      isOver = true;
      await done;
    },
  };
}

const nextAnswerMs = 60_000;
