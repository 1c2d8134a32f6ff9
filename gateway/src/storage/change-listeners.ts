import type { ChangeTopic } from "./database.ts";

type ChangeListener = () => unknown;

/** Listeners of this process, by topic. */
export function createChangeListeners() {
  const listeners = new Map<ChangeTopic, ChangeListener[]>();
  return {
    add(topic: ChangeTopic, listener: ChangeListener): void {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
    },
    /** Resolves when every listener has finished, so that the writer can rely on it. */
    async tell(topics: readonly ChangeTopic[]): Promise<void> {
      const notifications = topics.flatMap((topic) => listeners.get(topic) ?? []).map((listener) => listener());
      await Promise.all(notifications);
    },
  };
}
