/**
 * Runs one costly call per user at a time, so that the searches of one user do not delay the
 * others.
 */
import { refuse } from "./refusal.ts";

/** A console that searches while the user types has a few calls on the way. */
const waitingMax = 4;

export function createPerUserQueue() {
  const queues = new Map<number, { last: Promise<unknown>; waiting: number }>();

  return async <Result>(userId: number, work: () => Promise<Result>): Promise<Result> => {
    const queue = queues.get(userId) ?? { last: Promise.resolve(), waiting: 0 };
    if (queue.waiting > waitingMax) throw refuse("too_many_requests", { retryAfter: 1 });
    queues.set(userId, queue);
    queue.waiting += 1;
    const result = queue.last.then(work);
    // The outcome of a call does not affect the next one.
    queue.last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(userId);
    }
  };
}
