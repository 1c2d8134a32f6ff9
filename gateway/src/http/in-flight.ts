/** Tracks calls in flight, so that a stop can wait for them. */
export function createInFlightTracker() {
  const running = new Set<Promise<void>>();
  return {
    add(work: Promise<unknown>): void {
      const done: Promise<void> = work.then(
        () => void running.delete(done),
        () => void running.delete(done),
      );
      running.add(done);
    },
    /** True when all calls have ended within the time. */
    async drained(ms: number): Promise<boolean> {
      let timer: NodeJS.Timeout | undefined;
      const timeUp = new Promise<false>((resolve) => {
        timer = setTimeout(() => resolve(false), ms);
      });
      const finished = await Promise.race([Promise.all(running).then(() => true as const), timeUp]);
      clearTimeout(timer);
      return finished;
    },
  };
}
