/**
 * What a person meets whose system replaces all colours: whether what is chosen differs from what
 * is not, and what has the focus can be seen. The system sees to contrast, and axe reads the
 * colours that it has replaced. The script runs inside the page, so it is text.
 */
import type { Page } from "playwright-core";
import { expectToFit, saveScreenshot } from "./inspect-page.ts";
import { keyboardFaults } from "./keyboard-walk.ts";

/** Chosen ones among their neighbours that look exactly like them, a line for each. */
const findUnmarkedChoices = `(() => {
  const chosen = "[aria-pressed=true], [aria-selected=true], [aria-current]:not([aria-current=false]), [aria-checked=true]";
  const looks = (part) => {
    const { color, backgroundColor, borderTopColor, borderTopWidth, borderBottomWidth, borderBottomColor, outlineStyle, fontWeight, textDecorationLine } = getComputedStyle(part);
    const inside = part.querySelector("svg:not([hidden])") !== null;
    return JSON.stringify([color, backgroundColor, borderTopWidth, borderTopColor, borderBottomWidth, borderBottomColor, outlineStyle, fontWeight, textDecorationLine, inside]);
  };
  const isSeen = (part) => part.checkVisibility({ visibilityProperty: true }) && part.getBoundingClientRect().width > 1;
  return [...document.querySelectorAll(chosen)].filter(isSeen).flatMap((part) => {
    const among = part.closest("[role=group], [role=tablist], [role=radiogroup], nav, ul, fieldset")?.querySelectorAll(part.tagName) ?? [];
    const others = [...among].filter((other) => other !== part && !other.matches(chosen) && isSeen(other));
    const twin = others.find((other) => looks(other) === looks(part));
    return twin === undefined ? [] : [part.textContent.trim().slice(0, 40) + " looks like " + twin.textContent.trim().slice(0, 40)];
  });
})()`;

/** At the widest and the narrowest screen; the page keeps the size that it had. */
export async function findForcedColourFaults(page: Page, name: string): Promise<string[]> {
  const sizeBefore = page.viewportSize();
  const faults: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, forcedColors: "active" });
    for (const width of [1440, 375]) {
      await expectToFit(page, width);
      const unmarked = await page.evaluate<string[]>(findUnmarkedChoices);
      const lost = colorScheme === "light" ? await keyboardFaults(page) : [];
      const place = `forced ${colorScheme} at ${width} px`;
      faults.push(...[...unmarked, ...lost].map((fault) => `${place}: ${fault}`));
      await saveScreenshot(page, name, `forced-${colorScheme}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
  if (sizeBefore) await page.setViewportSize(sizeBefore);
  return faults;
}
