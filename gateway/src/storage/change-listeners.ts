import type { ChangeTopic } from "./database.ts";

type ChangeListener = () => unknown;

/** Listeners of this process, by topic. */
export function createChangeListeners(onError: (error: Error) => void) {
  const listeners = new Map<ChangeTopic, ChangeListener[]>();
  return {
    add(topic: ChangeTopic, listener: ChangeListener): void {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
    },
    /**
     * Resolves when every listener has finished, so that the writer can rely on it; false where one
     * failed.
     */
    async tell(topics: readonly ChangeTopic[]): Promise<boolean> {
      const told = topics
        .flatMap((topic) => listeners.get(topic) ?? [])
        .map(async (listener) => await listener());
      const failures = (await Promise.allSettled(told)).filter((one) => one.status === "rejected");
      for (const { reason } of failures) onError(reason);
      return failures.length === 0;
    },
  };
}
