/** Runs `work` again and again, never twice at once; the answer stops it and waits for the one under way. */
export function every(
  ms: number,
  work: () => Promise<unknown>,
  onTrouble: (error: Error) => void,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  let timer: NodeJS.Timeout;
  const turn = (): void => {
    timer = setTimeout(() => {
      running = work()
        .then(() => undefined, onTrouble)
        .finally(() => {
          if (!stopped) turn();
        });
    }, ms);
    timer.unref();
  };
  turn();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
