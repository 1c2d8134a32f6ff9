import type { Topic } from "./database.ts";

type Listener = () => unknown;

/** Who wants to know about which topic, in this process. */
export function changeListeners() {
  const listeners = new Map<Topic, Listener[]>();
  return {
    add(topic: Topic, listener: Listener): void {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
    },
    /** Resolves when everybody has taken note, so that whoever made the change can rely on it. */
    async tell(topics: readonly Topic[]): Promise<void> {
      const told = topics.flatMap((topic) => listeners.get(topic) ?? []).map((listener) => listener());
      await Promise.all(told);
    },
  };
}
