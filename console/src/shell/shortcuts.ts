/** The keys of the console: what each does, read from one key after another. */

/** The second key after `g`, by page. */
const pageKeys: Readonly<Record<string, string>> = {
  d: "/dashboard",
  c: "/channels",
  t: "/tokens",
  l: "/logs",
  u: "/users",
  r: "/redemptions",
  b: "/topup",
  m: "/models",
  p: "/playground",
  h: "/chat",
  a: "/about",
  s: "/settings",
};
const goKey = "g";
/** Later, a second key begins anew. */
export const secondKeyMaxMs = 1_500;

export type ShortcutAct = { does: "go"; path: string } | { does: "search" } | { does: "help" } | { does: "wait" };

/** What a key does after `before`, the key that waits for a second one. `paths` are the pages that the user may open. */
export function readShortcut(
  key: string,
  before: string | undefined,
  paths: readonly string[],
): ShortcutAct | undefined {
  if (before === goKey) {
    const path = pageKeys[key];
    return path !== undefined && paths.includes(path) ? { does: "go", path } : undefined;
  }
  if (key === goKey) return { does: "wait" };
  if (key === "/") return { does: "search" };
  return key === "?" ? { does: "help" } : undefined;
}

/** The two keys that lead to a page, if there are any. */
export function keysOfPage(path: string): readonly [string, string] | undefined {
  const key = Object.keys(pageKeys).find((one) => pageKeys[one] === path);
  return key === undefined ? undefined : [goKey, key];
}

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
