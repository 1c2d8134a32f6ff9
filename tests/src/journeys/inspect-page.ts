// What is looked at on every screen: whether assistive tools can read it, whether it fits, whether the keyboard gets
// everywhere. The scripts run inside the page, so they are text.
import { join } from "node:path";
import axe, { type AxeResults, type RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const levelAA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** The rules that may judge a page differently in another theme. */
const colourRules = ["color-contrast", "link-in-text-block"];

/**
 * Runs axe while sticky bars stand in their places: scrolling uncovers what is under one, but axe takes its visible rest for the
 * whole target. `keyboardFaults` finds what is covered while it has the focus.
 */
const judge = (options: RunOptions): string => `(async () => {
  const sticky = [...document.querySelectorAll("body *")].filter((part) => getComputedStyle(part).position === "sticky");
  for (const part of sticky) part.style.position = "static";
  try {
    return await axe.run(document, ${JSON.stringify(options)});
  } finally {
    for (const part of sticky) part.style.position = "";
  }
})()`;

/** What breaks WCAG 2.2 AA, a line for each place. */
export async function accessibilityViolations(page: Page, { coloursOnly = false } = {}): Promise<string[]> {
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
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(" ")}: ${failureSummary?.replace(/\s+/g, " ")}`),
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

/** Gives the page a width and waits until it has settled; nothing may then stick out at the side. */
export async function expectToFit(page: Page, width: number): Promise<void> {
  const height = page.viewportSize()?.height ?? 900;
  await page.setViewportSize({ width, height });
  await waitUntilStill(page);
  await expect.poll(() => page.evaluate<string>(findOverflow), { message: `at ${width} px` }).toBe("");
}

/** Resizing is heeded after 100 ms; then whatever moves or fades comes to its end. */
export async function waitUntilStill(page: Page): Promise<void> {
  await page.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(done), 160))");
  const moving = "document.getAnimations().filter(({ playState }) => playState === 'running').length";
  await expect.poll(() => page.evaluate(moving), { message: "still moving" }).toBe(0);
}

/**
 * Finds what Tab should reach. A group of radios or a list with one
 * stop of its own takes part with what carries tabindex 0.
 */
const startWalk = `(() => {
  const walk = { stops: [], reached: [], faults: [], repeats: 0, leaves: 0, rounds: 0 };
  const scope = document.querySelector("dialog[open]") ?? document;
  const isUsable = (part) =>
    part.tabIndex >= 0 && !part.matches(":disabled") && part.checkVisibility({ visibilityProperty: true }) &&
    !part.closest("[inert]") && part.getClientRects().length > 0;
  const query = "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable=true]";
  walk.stops = [...scope.querySelectorAll(query)].filter(isUsable);
  walk.name = (part) => {
    const label = part.getAttribute("aria-label") ?? part.labels?.[0]?.textContent ?? part.textContent;
    return part.tagName.toLowerCase() + " " + JSON.stringify(label.trim().slice(0, 60));
  };
  const seen = (part) => {
    const style = getComputedStyle(part);
    const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
    if (!outlined && style.boxShadow === "none") return "its focus cannot be seen";
    const box = part.getBoundingClientRect();
    if (box.bottom <= 0 || box.top >= innerHeight || box.right <= 0 || box.left >= innerWidth)
      return "it is outside of the window while focused";
    // Covered by something that stays in place, such as a sticky bar.
    const places = [[0.5, 0.5], [0.1, 0.2], [0.9, 0.2], [0.1, 0.8], [0.9, 0.8]].map(([x, y]) =>
      [box.left + box.width * x, box.top + box.height * y]);
    const uncovered = places.some(([x, y]) => {
      const top = document.elementFromPoint(x, y);
      return top !== null && (part.contains(top) || top.contains(part));
    });
    return uncovered ? "" : "it is covered while focused";
  };
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  walk.note = async (part) => {
    walk.reached.push(part);
    // A few frames, for what moves out of the way.
    for (let frames = 0; frames < 10 && seen(part) !== ""; frames += 1) await frame();
    const fault = seen(part);
    if (fault !== "") walk.faults.push(walk.name(part) + ": " + fault);
  };
  window.walk = walk;
  // A dialog opens with the focus inside.
  if (walk.stops.includes(document.activeElement)) {
    walk.reached.push(document.activeElement);
    walk.rounds = 1;
  }
  return walk.stops.length;
})()`;

/** The next Tab goes on from where something with the focus was taken away. */
const focusDocumentStart = `(() => {
  if (document.querySelector("dialog[open]") !== null) return;
  const top = document.createElement("span");
  top.tabIndex = -1;
  document.body.prepend(top);
  top.focus({ preventScroll: true });
  top.remove();
  scrollTo(0, 0);
})()`;

/** Notes where the focus is, and answers whether the walk is over: back at its first stop, or out of the page. */
const noteStop = `(async () => {
  const walk = window.walk;
  const at = document.activeElement;
  const isOut = at === null || at === document.body || at === document.documentElement;
  if (isOut) {
    // A dialog may open with the focus in its middle: then its beginning comes after its end.
    walk.leaves += 1;
    return walk.leaves > walk.rounds ? "over" : "on";
  }
  if (at === walk.reached[0] && walk.reached.length > 1) return "over";
  // Dates and times have several fields inside; anything else that keeps the focus is a trap.
  if (at === walk.reached.at(-1)) {
    walk.repeats += 1;
    return walk.repeats > 8 || !(at instanceof HTMLInputElement) ? "trapped at " + walk.name(at) : "on";
  }
  walk.repeats = 0;
  await walk.note(at);
  return "on";
})()`;

const walkResult = `(() => {
  const { stops, reached, faults, name } = window.walk;
  return [...stops.filter((stop) => !reached.includes(stop)).map((stop) => name(stop) + ": Tab never gets there"),
    ...faults];
})()`;

/** Walks from the start of the document (or of an open dialog) with Tab alone; answers what went wrong on the way. */
export async function keyboardFaults(page: Page): Promise<string[]> {
  await page.evaluate(focusDocumentStart);
  const stops = await page.evaluate<number>(startWalk);
  // A date and time has eight fields within one stop.
  for (let press = 0; press < stops * 2 + 40; press += 1) {
    await page.keyboard.press("Tab");
    const state = await page.evaluate<string>(noteStop);
    if (state === "over") return page.evaluate<string[]>(walkResult);
    if (state !== "on") return [state, ...(await page.evaluate<string[]>(walkResult))];
  }
  return ["Tab goes on and on", ...(await page.evaluate<string[]>(walkResult))];
}

/** Saves a screenshot to the folder SCREENSHOTS_TO, if it is set. */
export async function saveScreenshot(page: Page, name: string, theme: string): Promise<void> {
  const folder = process.env.SCREENSHOTS_TO;
  const width = page.viewportSize()?.width;
  if (folder) await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`), fullPage: true });
}

const widest = 1440;
const narrowest = 375;

/**
 * `npm test` looks at what is on the screen once: by assistive tools at the widest, by keyboard at the narrowest. With
 * `INSPECTION=full`, as large runs set it, both are done at every width, and the colours of both themes.
 */
const isFullInspection = process.env.INSPECTION === "full";

export interface InspectionOptions {
  widths?: readonly number[];
  /** False where the operator's own content stands on the page. */
  isWalked?: boolean;
}

/** What is on the screen now is accessible, fits into the window, and the keyboard gets everywhere. */
export async function inspectScreen(
  page: Page,
  name: string,
  { widths = [widest, narrowest], isWalked = true }: InspectionOptions = {},
): Promise<void> {
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

async function showTheme(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await expect.poll(() => page.evaluate("document.documentElement.dataset.theme")).toBe(colorScheme);
  await waitUntilStill(page);
}
