import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { buildLazyPart } from "../ui/lazy-part.tsx";
import {
  onShowShortcuts,
  readShortcut,
  secondKeyMaxMs,
  showShortcuts,
  usesSingleKeys,
} from "./shortcuts.ts";
import { usePages } from "./use-navigation.ts";

const ShortcutSheet = buildLazyPart(
  async () => (await import("./shortcut-sheet.tsx")).ShortcutSheet,
);

/**
 * Listens for single keys on the whole page. They do nothing while the focus is where text or a
 * choice is entered.
 */
export function ShortcutKeys() {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => onShowShortcuts(() => setOpen(true)), []);
  const pages = usePages();
  const allowed = useRef(pages);
  allowed.current = pages;
  useEffect(() => {
    let before: { key: string; at: number } | undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (isForOthers(event) || !usesSingleKeys()) return;
      const isSecond = before !== undefined && event.timeStamp - before.at <= secondKeyMaxMs;
      const act = readShortcut(event.key, isSecond ? before?.key : undefined, allowed.current);
      // Shift alone is pressed on the way to a second key.
      if (event.key !== "Shift")
        before = act?.does === "wait" ? { key: event.key, at: event.timeStamp } : undefined;
      if (act?.does === "go") void navigate({ to: act.path });
      if (act?.does === "help") showShortcuts();
      if (act?.does === "list")
        void import("./list-keys.ts").then(({ pressListKey }) => pressListKey(act.key));
      if (act?.does === "search" && !focusSearch()) return;
      if (act !== undefined) event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [navigate]);
  return isOpen && <ShortcutSheet onClose={() => setOpen(false)} />;
}

/** Keys that a control, a menu, a dialog or the browser reads. */
function isForOthers(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.repeat) return true;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target instanceof HTMLElement ? event.target : undefined;
  if (target?.isContentEditable === true) return true;
  if (
    target?.closest("input, textarea, select, [role=menu], [role=listbox], [role=application]") !=
    null
  )
    return true;
  return document.querySelector("dialog:modal, [popover]:popover-open[role=menu]") !== null;
}

/** `focusSearch` says whether the page has a search box to go to. */
function focusSearch(): boolean {
  // A filter of Logs suggests as the search of other lists does, and stands above the search.
  const box = ["#main input[type=search]", "#main search input"]
    .flatMap((found) => [...document.querySelectorAll<HTMLInputElement>(found)])
    .find((one) => one.checkVisibility() && one.closest("[data-filters]") === null);
  box?.focus();
  box?.select();
  return box !== undefined;
}
