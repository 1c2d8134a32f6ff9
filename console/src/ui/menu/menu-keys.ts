import type { KeyboardEvent } from "react";

export function listItems(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]')];
}

/**
 * Arrows wrap around, Home and End jump, a letter selects the next item that starts with it, Tab
 * closes the menu.
 */
export function focusByKey(event: KeyboardEvent<HTMLElement>) {
  const items = listItems(event.currentTarget);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const target = findTarget(event.key, items, at);
  if (event.key === "Tab") event.currentTarget.hidePopover();
  if (target === undefined) return;
  event.preventDefault();
  target.focus();
}

function findTarget(key: string, items: HTMLElement[], at: number): HTMLElement | undefined {
  if (key === "ArrowDown") return items[(at + 1) % items.length];
  if (key === "ArrowUp") return items[at <= 0 ? items.length - 1 : at - 1];
  if (key === "Home") return items[0];
  if (key === "End") return items.at(-1);
  if (key.length !== 1 || key === " ") return undefined;
  const following = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  return following.find((item) =>
    item.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()),
  );
}
