import { useSyncExternalStore } from "react";

export type Density = "comfortable" | "compact";

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

// A browser may refuse storage altogether; the choice then lives until the page is reloaded.
let chosenHere: Density | undefined;

function current(): Density {
  try {
    const stored = localStorage.getItem(storageKey);
    if (stored !== null) return stored === "compact" ? "compact" : "comfortable";
  } catch {}
  return chosenHere ?? "comfortable";
}

/** One setting for all tables, remembered in this browser. */
export function useDensity(): [Density, (next: Density) => void] {
  const density = useSyncExternalStore(subscribe, current);
  const choose = (next: Density) => {
    chosenHere = next;
    try {
      localStorage.setItem(storageKey, next);
    } catch {}
    for (const listener of listeners) listener();
  };
  return [density, choose];
}
