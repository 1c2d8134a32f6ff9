/** The cards that are folded, remembered in this browser. */
import { useSyncExternalStore } from "react";

const storageKey = "folded_cards";

/**
 * Our own cards of the dashboard. A phone begins with them folded: below each other they are three
 * screens long.
 */
export const ownCards = [
  "spenders",
  "budgets",
  "cache",
  "busy-hours",
  "speed",
  "channels",
] as const;
const phone = "(max-width: 767px)";
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", listener);
  };
}

/** `unstored` is for browsers that refuse storage: it lasts until the page is reloaded. */
let unstored: string | undefined;

const readDefault = (): string => (matchMedia(phone).matches ? ownCards.join(",") : "");

function readStored(): string {
  try {
    return localStorage.getItem(storageKey) ?? unstored ?? readDefault();
  } catch {
    return unstored ?? readDefault();
  }
}

/** `parseFolded` drops what is no name of a card. */
export const parseFolded = (stored: string): string[] =>
  stored.split(",").filter((name) => /^[a-z-]+$/.test(name));

export function toggleFolded(stored: string, card: string): string {
  const folded = parseFolded(stored);
  return (folded.includes(card) ? folded.filter((name) => name !== card) : [...folded, card]).join(
    ",",
  );
}

export function useAllFolded(cards: readonly string[]): boolean {
  const folded = parseFolded(useSyncExternalStore(subscribe, readStored));
  return cards.every((card) => folded.includes(card));
}

/** Cards without a name are never folded. */
export function useFolded(card: string | undefined): [boolean, () => void] {
  const stored = useSyncExternalStore(subscribe, readStored);
  const toggle = () => {
    if (card === undefined) return;
    unstored = toggleFolded(readStored(), card);
    try {
      localStorage.setItem(storageKey, unstored);
    } catch {}
    for (const listener of listeners) listener();
  };
  return [card !== undefined && parseFolded(stored).includes(card), toggle];
}
