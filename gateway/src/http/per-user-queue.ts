/** Lets each caller run one costly piece of work at a time, so that one person's searches do not hold up the rest. */
import { refuse } from "./refusal.ts";

/** A console that searches while somebody types has a few on the way. */
const waitingMax = 4;

export function createPerUserQueue() {
  const queues = new Map<number, { last: Promise<unknown>; waiting: number }>();

  return async <Result>(callerId: number, work: () => Promise<Result>): Promise<Result> => {
    const queue = queues.get(callerId) ?? { last: Promise.resolve(), waiting: 0 };
    if (queue.waiting > waitingMax) throw refuse("too_many_requests", { retryAfter: 1 });
    queues.set(callerId, queue);
    queue.waiting += 1;
    const result = queue.last.then(work);
    // What the one before ended with is not the business of the next.
    queue.last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(callerId);
    }
  };
}
