/**
 * Runs `work` periodically, never twice at once; the returned function stops it and waits for the
 * current run.
 */
export function runEvery(
  intervalMs: number,
  work: () => Promise<unknown>,
  onError: (error: Error) => void,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  let timer: NodeJS.Timeout;
  const scheduleNext = (): void => {
    timer = setTimeout(() => {
      running = work()
        .then(() => undefined, onError)
        .finally(() => {
          if (!stopped) scheduleNext();
        });
    }, intervalMs);
    timer.unref();
  };
  scheduleNext();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
