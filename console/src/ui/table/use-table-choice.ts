import { useMemo, useSyncExternalStore } from "react";
import { parseChoice, type TableChoice } from "./table-choice.ts";

const listeners = new Set<() => void>();
// A browser may refuse storage; the choice then lasts until the page is reloaded.
const unstored = new Map<string, string>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", listener);
  };
}

function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key) ?? unstored.get(key) ?? null;
  } catch {
    return unstored.get(key) ?? null;
  }
}

/**
 * Columns and views of one list, stored in this browser.
 *
 * @param owner names user and list; undefined stores nothing and keeps the defaults.
 */
export function useTableChoice(
  owner: string | undefined,
): [TableChoice, (next: TableChoice) => void] {
  const key = `table_choice:${owner ?? ""}`;
  const text = useSyncExternalStore(subscribe, () =>
    owner === undefined ? null : readStored(key),
  );
  const choose = (next: TableChoice) => {
    const written = JSON.stringify(next);
    unstored.set(key, written);
    try {
      localStorage.setItem(key, written);
    } catch {}
    for (const listener of listeners) listener();
  };
  return [useMemo(() => parseChoice(text), [text]), choose];
}
