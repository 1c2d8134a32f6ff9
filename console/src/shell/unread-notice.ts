import { useSyncExternalStore } from "react";

/** The storage key of the dismissed notice, the one that older consoles use. */
const storageKey = "notice";

let current = "";
const listeners = new Set<() => void>();

function publish(text: string) {
  current = text;
  for (const listener of listeners) listener();
}

export function saveNotice(text: unknown) {
  publish(
    typeof text === "string" && text.trim() !== "" && text !== readLastDismissed() ? text : "",
  );
}

export function dismissNotice() {
  try {
    localStorage.setItem(storageKey, current);
  } catch {}
  publish("");
}

/** The operator's notice, or an empty text when there is none or the user dismissed it. */
export function useUnreadNotice(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

/**
 * `withoutMarkupMax` bounds the text that is shown until it is rendered: a screen of it is enough.
 */
const withoutMarkupMax = 2_000;

/** The words of a text in Markdown or HTML, without links and marks: never markup itself. */
export const stripMarkup = (source: string): string =>
  source
    .slice(0, withoutMarkupMax)
    .replace(/<[^>]*>/g, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+])[ \t]+|[*_`~]+/gm, "");

function readLastDismissed(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}
