/**
 * Records how a person finds the way through the console: clicks, pages that were of no use, forms
 * that were refused and searches that found nothing. The script runs inside the page, so it is text.
 */
import type { Page } from "playwright-core";

/** `WalkCounts` are what a task, or all of them, took. */
export interface WalkCounts {
  /** What was pressed by pointer, Enter or Space. A choice from a list is two. */
  clicks: number;
  /** Pages that were left by the header, the palette or the back button, with nothing done there. */
  strayVisits: number;
  /** Forms that were sent, and not taken. */
  refusedSubmits: number;
  /** Searches, in the palette or in a list, that found nothing. */
  emptySearches: number;
}

const none: WalkCounts = { clicks: 0, strayVisits: 0, refusedSubmits: 0, emptySearches: 0 };

const watchPerson = `(() => {
  const inPalette = (target) => target.closest?.("dialog")?.querySelector("[role=combobox][aria-controls]") != null;
  const isDoing = (target) => target.closest?.("main, dialog, [role=menu]") != null && !inPalette(target);
  const note = (what) => window.noteOfWalk(what);
  document.addEventListener("click", (event) => {
    if (!event.isTrusted || event.target.closest?.("option") != null) return;
    note("click");
    if (isDoing(event.target)) note("doing");
  }, true);
  document.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLSelectElement) for (const _ of [1, 2]) note("click");
    if (isDoing(target)) note("doing");
  }, true);
  document.addEventListener("input", ({ target }) => { if (isDoing(target)) note("doing"); }, true);
  // An entry of the palette is chosen by Enter, and no click follows.
  document.addEventListener("keydown", ({ key, target }) => {
    if (key !== "Enter" || !inPalette(target)) return;
    note("click");
    const found = [...target.closest("dialog").querySelectorAll("[role=option]")];
    if (found.every((option) => /^Search the logs/.test(option.textContent.trim()))) note("nothing found");
  }, true);
  document.addEventListener("submit", ({ target }) => {
    const wrongBefore = target.querySelectorAll("[aria-invalid=true]").length;
    setTimeout(() => { if (target.isConnected && target.querySelectorAll("[aria-invalid=true]").length > wrongBefore) note("refused"); }, 300);
  }, true);
  let wasEmpty = false;
  new MutationObserver(() => {
    const isEmpty = document.querySelector("main")?.textContent.includes("Nothing matches the filters.") === true;
    if (isEmpty && !wasEmpty) note("nothing found");
    wasEmpty = isEmpty;
  }).observe(document, { subtree: true, childList: true, characterData: true });
})()`;

/** Records from now on what the person does; before the first page is opened. */
export async function recordWalk(page: Page) {
  let counts = { ...none };
  let visit = { path: "", isUsed: true };
  await page.exposeBinding("noteOfWalk", (_, what: string) => {
    if (what === "click") counts.clicks += 1;
    if (what === "doing") visit.isUsed = true;
    if (what === "refused") counts.refusedSubmits += 1;
    if (what === "nothing found") counts.emptySearches += 1;
  });
  await page.addInitScript(watchPerson);
  page.on("framenavigated", (frame) => {
    if (frame !== page.mainFrame()) return;
    const { pathname } = new URL(page.url());
    if (pathname === visit.path) return;
    if (!visit.isUsed) counts.strayVisits += 1;
    visit = { path: pathname, isUsed: false };
  });
  page.on("response", async (response) => {
    const isChange = response.request().method() !== "GET";
    if (!isChange || !response.url().includes("/api/")) return;
    const body: unknown = await response.json().catch(() => undefined);
    const { success, code } = (body ?? {}) as { success?: unknown; code?: unknown };
    // Who is asked for a password on the way has sent nothing wrong.
    if (success === false && code !== "reauth_required") counts.refusedSubmits += 1;
  });
  return {
    /** Gives what a task took. The next one begins where the person stands. */
    endTask(): WalkCounts {
      const ended = counts;
      counts = { ...none };
      visit.isUsed = true;
      return ended;
    },
  };
}

/** `countStray` counts the steps that led nowhere. */
export const countStray = ({ strayVisits, refusedSubmits, emptySearches }: WalkCounts): number =>
  strayVisits + refusedSubmits + emptySearches;

export const sumWalks = (walks: readonly WalkCounts[]): WalkCounts =>
  walks.reduce(
    (sum, walk) => ({
      clicks: sum.clicks + walk.clicks,
      strayVisits: sum.strayVisits + walk.strayVisits,
      refusedSubmits: sum.refusedSubmits + walk.refusedSubmits,
      emptySearches: sum.emptySearches + walk.emptySearches,
    }),
    none,
  );
