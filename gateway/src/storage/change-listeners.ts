import type { ChangeTopic } from "./database.ts";

type ChangeListener = () => unknown;

/** Who wants to know about which topic, in this process. */
export function createChangeListeners() {
  const listeners = new Map<ChangeTopic, ChangeListener[]>();
  return {
    add(topic: ChangeTopic, listener: ChangeListener): void {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
    },
    /** Resolves when everybody has taken note, so that whoever made the change can rely on it. */
    async tell(topics: readonly ChangeTopic[]): Promise<void> {
      const notifications = topics.flatMap((topic) => listeners.get(topic) ?? []).map((listener) => listener());
      await Promise.all(notifications);
    },
  };
}
