/** Lets each caller run one costly piece of work at a time, so that one person's searches do not hold up the rest. */
import { refuse } from "./refusal.ts";

/** A console that searches while somebody types has a few on the way. */
const waitingMax = 4;

export function inTurn() {
  const turns = new Map<number, { last: Promise<unknown>; waiting: number }>();

  return async <Result>(callerId: number, work: () => Promise<Result>): Promise<Result> => {
    const turn = turns.get(callerId) ?? { last: Promise.resolve(), waiting: 0 };
    if (turn.waiting > waitingMax) throw refuse("too_many_requests", { retryAfter: 1 });
    turns.set(callerId, turn);
    turn.waiting += 1;
    const result = turn.last.then(work);
    // What the one before ended with is not the business of the next.
    turn.last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      turn.waiting -= 1;
      if (turn.waiting === 0) turns.delete(callerId);
    }
  };
}
