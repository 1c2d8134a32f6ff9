/** Steps as a person counts them, so that a test can say how long a way is. */
import type { Page } from "playwright-core";

/**
 * Counts what a person activates by pointer, Enter or Space, and the paths that they see. A choice
 * from a list is two clicks.
 */
export async function countSteps(page: Page) {
  let clicks = 0;
  const screens = new Set<string>();
  await page.exposeBinding("countClick", (_, added: number) => {
    clicks += added;
  });
  await page.addInitScript(`
    document.addEventListener("click", (event) => { if (event.isTrusted) window.countClick(1); }, true);
    document.addEventListener("change", ({ target }) => { if (target instanceof HTMLSelectElement) window.countClick(2); }, true);
  `);
  page.on("framenavigated", () => {
    const { pathname, searchParams } = new URL(page.url());
    screens.add(searchParams.has("trace") ? "trace" : pathname);
  });
  return {
    clicks: () => clicks,
    screens: () => [...screens].filter((screen) => screen.startsWith("/") || screen === "trace"),
    /** Counts from here on. */
    restart: () => {
      clicks = 0;
    },
  };
}
