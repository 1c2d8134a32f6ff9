import { useSyncExternalStore } from "react";

/** The notice that was put away, under the name that older consoles use: another text shows again. */
const readUnder = "notice";

let current = "";
const listeners = new Set<() => void>();

function publish(text: string) {
  current = text;
  for (const listener of listeners) listener();
}

export function saveNotice(text: unknown) {
  publish(typeof text === "string" && text.trim() !== "" && text !== lastRead() ? text : "");
}

export function putNoticeAway() {
  try {
    localStorage.setItem(readUnder, current);
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

function lastRead(): string | null {
  try {
    return localStorage.getItem(readUnder);
  } catch {
    return null;
  }
}
