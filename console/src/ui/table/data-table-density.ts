import { useSyncExternalStore } from "react";

export type RowDensity = "comfortable" | "compact";

const storageKey = "table_density";
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", listener);
  };
}

// A browser may refuse storage; the choice then lasts until the page is reloaded.
let unstoredChoice: RowDensity | undefined;

function current(): RowDensity {
  try {
    const stored = localStorage.getItem(storageKey);
    if (stored !== null) return stored === "compact" ? "compact" : "comfortable";
  } catch {}
  return unstoredChoice ?? "comfortable";
}

/** The row density of all tables, stored in this browser. */
export function useDensity(): [RowDensity, (next: RowDensity) => void] {
  const density = useSyncExternalStore(subscribe, current);
  const choose = (next: RowDensity) => {
    unstoredChoice = next;
    try {
      localStorage.setItem(storageKey, next);
    } catch {}
    for (const listener of listeners) listener();
  };
  return [density, choose];
}
