/** The keys of the console: what each does, read from one key after another. */

const goKey = "g";
/** Later, a second key begins anew. */
export const secondKeyMaxMs = 1_500;

export type ListKey = "f" | "j" | "k";
export type ShortcutAct =
  | { does: "go"; path: string }
  | { does: "list"; key: ListKey }
  | { does: "search" }
  | { does: "help" }
  | { does: "wait" };

type PageKey = { path: string; key?: string };

/**
 * `readShortcut` gives what a key does after `before`, the key that waits for a second one. `pages`
 * are those that the user may open.
 */
export function readShortcut(
  key: string,
  before: string | undefined,
  pages: readonly PageKey[],
): ShortcutAct | undefined {
  if (before === goKey) {
    const page = pages.find((one) => one.key === key);
    return page && { does: "go", path: page.path };
  }
  if (key === goKey) return { does: "wait" };
  if (key === "/") return { does: "search" };
  if (key === "f" || key === "j" || key === "k") return { does: "list", key };
  return key === "?" ? { does: "help" } : undefined;
}

/** The two keys that lead to a page, if there are any. */
export const findKeysOfPage = ({ key }: PageKey): readonly [string, string] | undefined =>
  key === undefined ? undefined : [goKey, key];

const storageKey = "single_key_shortcuts";
let isUsed: boolean | undefined;

/** Single keys can be turned off: speech input and tremor press them by accident (WCAG 2.1.4). */
export function usesSingleKeys(): boolean {
  if (isUsed !== undefined) return isUsed;
  try {
    return localStorage.getItem(storageKey) !== "off";
  } catch {
    return true;
  }
}

export function chooseSingleKeys(isWanted: boolean): void {
  isUsed = isWanted;
  try {
    localStorage.setItem(storageKey, isWanted ? "on" : "off");
  } catch {
    // Without storage the choice lasts until the page is loaded anew.
  }
}

const helpListeners = new Set<() => void>();

export function onShowShortcuts(listener: () => void): () => void {
  helpListeners.add(listener);
  return () => helpListeners.delete(listener);
}

/** Opens the list of shortcuts, from wherever it is asked for. */
export function showShortcuts(): void {
  for (const listener of helpListeners) listener();
}
