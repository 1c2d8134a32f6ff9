import { useSyncExternalStore } from "react";

export type ThemeChoice = "light" | "dark" | "system";

const storageKey = "theme";
const systemDark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();
let choice: ThemeChoice = readChoice();

function readChoice(): ThemeChoice {
  try {
    const stored = localStorage.getItem(storageKey);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}

/** The script in `index.html` sets the theme before the first paint; this applies later changes. */
function apply() {
  const dark = choice === "dark" || (choice === "system" && systemDark.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  for (const listener of listeners) listener();
}

export function chooseTheme(next: ThemeChoice) {
  choice = next;
  try {
    localStorage.setItem(storageKey, next);
  } catch {}
  apply();
}

/** Follows changes of the operating system's theme and of other tabs. */
export function startTheme() {
  systemDark.addEventListener("change", apply);
  addEventListener("storage", (event) => {
    if (event.key !== storageKey && event.key !== null) return;
    choice = readChoice();
    apply();
  });
  apply();
}

export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => choice,
  );
}
