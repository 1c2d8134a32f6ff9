// What is looked at on every screen: whether assistive tools can read it, whether it fits, whether
// the keyboard gets everywhere. The scripts run inside the page, so they are text.
import { join } from "node:path";
import axe, { type AxeResults, type RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { keyboardFaults } from "./keyboard-walk.ts";
import { smallTargets } from "./room-on-screen.ts";

const levelAA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** The rules that may judge a page differently in another theme. */
const colourRules = ["color-contrast", "link-in-text-block"];

/** A colour on its way to another is not judged: transitions end first. A spinner never does. */
const endOfTransitions = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime)).map(({ finished }) => finished))`;

/**
 * Runs axe while sticky bars stand in their places: scrolling uncovers what is under one, but axe
 * takes its visible rest for the whole target. `keyboardFaults` finds what is covered while it has
 * the focus.
 */
const judge = (options: RunOptions): string => `(async () => {
  await ${endOfTransitions};
  const sticky = [...document.querySelectorAll("body *")].filter((part) => getComputedStyle(part).position === "sticky");
  for (const part of sticky) part.style.position = "static";
  try {
    return await axe.run(document, ${JSON.stringify(options)});
  } finally {
    for (const part of sticky) part.style.position = "";
  }
})()`;

/** `accessibilityViolations` gives what breaks WCAG 2.2 AA, a line for each place. */
export async function accessibilityViolations(
  page: Page,
  { coloursOnly = false } = {},
): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  const options: RunOptions = {
    runOnly: coloursOnly ? { type: "rule", values: colourRules } : { type: "tag", values: levelAA },
    // Without it, most of the time goes into a selector for each place that is right.
    resultTypes: ["violations"],
    // Frames hold pages of other sites.
    iframes: false,
  };
  const { violations } = await page.evaluate<AxeResults>(judge(options));
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) =>
        `${id} at ${target.join(" ")}: ${failureSummary?.replace(/\s+/g, " ")}`,
    ),
  );
}

const findOverflow = `(() => {
  const room = document.documentElement.clientWidth;
  const wide = document.documentElement.scrollWidth;
  if (wide <= room) return "";
  const widest = [...document.querySelectorAll("body *")]
    .filter((part) => part.getBoundingClientRect().right > room + 0.5)
    .map((part) => part.tagName.toLowerCase() + "." + part.className + " " + part.textContent.slice(0, 40));
  return wide + " px in " + room + ": " + widest.slice(-3).join(" | ");
})()`;

/**
 * Gives the page a width and waits until it has settled; nothing may then stick out at the side.
 */
export async function expectToFit(page: Page, width: number): Promise<void> {
  const height = page.viewportSize()?.height ?? 900;
  await page.setViewportSize({ width, height });
  await waitUntilStill(page);
  await expect
    .poll(() => page.evaluate<string>(findOverflow), { message: `at ${width} px` })
    .toBe("");
}

/** Resizing is heeded after 100 ms; then whatever moves or fades comes to its end. */
export async function waitUntilStill(page: Page): Promise<void> {
  await page.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(done), 160))");
  const moving =
    "document.getAnimations().filter(({ playState }) => playState === 'running').length";
  await expect.poll(() => page.evaluate(moving), { message: "still moving" }).toBe(0);
}

/** Saves a screenshot to the folder SCREENSHOTS_TO, if it is set. */
export async function saveScreenshot(page: Page, name: string, theme: string): Promise<void> {
  const folder = process.env.SCREENSHOTS_TO;
  const width = page.viewportSize()?.width;
  if (folder)
    await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`), fullPage: true });
}

const widest = 1440;
const narrowest = 375;

/**
 * `npm test` looks at a screen at its widest alone, by assistive tools. With `INSPECTION=once`, as
 * CI sets it, the keyboard walks it at the narrowest besides. With `INSPECTION=full`, as large runs
 * set it, both are done at every width, and the colours of both themes.
 */
const isFullInspection = process.env.INSPECTION === "full";
const isBriefInspection = !isFullInspection && process.env.INSPECTION !== "once";

export interface InspectionOptions {
  widths?: readonly number[];
  /** False where the operator's own content stands on the page. */
  isWalked?: boolean;
}

/**
 * What is on the screen now is accessible, fits into the window, and the keyboard gets everywhere.
 */
export async function inspectScreen(
  page: Page,
  name: string,
  options: InspectionOptions = {},
): Promise<void> {
  const { widths = [widest, narrowest], isWalked = true } = isBriefInspection
    ? brief(options)
    : options;
  const sizeBefore = page.viewportSize();
  if (isWalked) {
    // A message that goes away by itself would be gone before Tab gets there.
    const messages = page.getByRole("region", { name: "Notifications" }).getByRole("button");
    await expect.poll(() => messages.count()).toBe(0);
  }
  const themes = isFullInspection ? (["light", "dark"] as const) : (["light"] as const);
  const faults: Record<string, string[]> = {};
  for (const width of widths) {
    await expectToFit(page, width);
    if (width === narrowest)
      faults[`too small for fingers at ${width} px`] = await smallTargets(page);
    if (isFullInspection || width === widths[0]) {
      for (const colorScheme of themes) {
        await showTheme(page, colorScheme);
        faults[`${colorScheme} at ${width} px`] = await accessibilityViolations(page, {
          coloursOnly: colorScheme === "dark",
        });
        await saveScreenshot(page, name, colorScheme);
      }
    }
    if (isWalked && (isFullInspection || width === widths.at(-1)))
      faults[`by keyboard at ${width} px`] = await keyboardFaults(page);
  }
  await page.emulateMedia({ colorScheme: "light" });
  if (sizeBefore) await page.setViewportSize(sizeBefore);
  const found = Object.entries(faults).filter(([, list]) => list.length > 0);
  expect(Object.fromEntries(found), name).toEqual({});
}

const brief = ({ widths = [widest] }: InspectionOptions): InspectionOptions => ({
  widths: widths.slice(0, 1),
  isWalked: false,
});

async function showTheme(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await expect
    .poll(() => page.evaluate("document.documentElement.dataset.theme"))
    .toBe(colorScheme);
  await waitUntilStill(page);
}
