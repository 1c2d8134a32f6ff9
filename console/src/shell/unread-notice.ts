import { useSyncExternalStore } from "react";

/** The notice that was put away, under the name that older consoles use: another text shows again. */
const storageKey = "notice";

let current = "";
const listeners = new Set<() => void>();

function publish(text: string) {
  current = text;
  for (const listener of listeners) listener();
}

export function saveNotice(text: unknown) {
  publish(typeof text === "string" && text.trim() !== "" && text !== lastDismissed() ? text : "");
}

export function dismissNotice() {
  try {
    localStorage.setItem(storageKey, current);
  } catch {}
  publish("");
}

/** What the operator wants everybody to know and this person has not put away yet; empty where there is nothing. */
export function useUnreadNotice(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

function lastDismissed(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}
