// Whether Tab alone gets everywhere on a screen, and what has the focus can be seen. The scripts
// run inside the page, so they are text.
import type { Page } from "playwright-core";

/**
 * Finds what Tab should reach. A group of radios or a list with one
 * stop of its own takes part with what carries tabindex 0.
 */
const startWalk = `(() => {
  const walk = { stops: [], reached: [], faults: [], repeats: 0, leaves: 0, rounds: 0, from: null, state: "start" };
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
  walk.faultOf = (part) => {
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
  // "new" and "last" are stops to look at; "over" is back at the first stop or out of the page.
  walk.arrive = (at) => {
    const isOut = at === null || at === document.body || at === document.documentElement;
    if (isOut) {
      // A dialog may open with the focus in its middle: then its beginning comes after its end.
      walk.leaves += 1;
      return walk.leaves > walk.rounds ? "over" : "on";
    }
    if (at === walk.reached[0] && walk.reached.length > 1) {
      if (at !== walk.from) return "over";
      walk.from = null;
      return "last";
    }
    // Dates and times have several fields inside; anything else that keeps the focus is a trap.
    if (at === walk.reached.at(-1)) {
      walk.repeats += 1;
      return walk.repeats > 8 || !(at instanceof HTMLInputElement) ? "trapped at " + walk.name(at) : "on";
    }
    walk.repeats = 0;
    walk.reached.push(at);
    return "new";
  };
  walk.missed = () => walk.stops.filter((stop) => !walk.reached.includes(stop));
  window.walk = walk;
  // A dialog opens with the focus inside.
  if (walk.stops.includes(document.activeElement)) {
    walk.from = document.activeElement;
    walk.reached.push(walk.from);
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

/**
 * Each Tab first looks at where the one before it has led; the first that finds anything but a good
 * stop ends the walk.
 */
const lookAtEachTab = `(() => {
  const walk = window.walk;
  walk.look = (event) => {
    if (event.key !== "Tab") return;
    const at = document.activeElement;
    const state = walk.state === "start" ? "on" : walk.state === "on" ? walk.arrive(at) : walk.state;
    const isStop = state === "new" || state === "last";
    if (isStop && walk.faultOf(at) !== "") walk.state = "fault";
    else walk.state = state === "new" ? "on" : state === "last" ? "over" : state;
    if (walk.state === "on") return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("keydown", walk.look, true);
})()`;

const endOfLooking = `(() => {
  const walk = window.walk;
  removeEventListener("keydown", walk.look, true);
  return walk.state === "over" && walk.missed().length === 0;
})()`;

/** Notes where the focus is, and answers whether the walk is over. */
const noteStop = `(async () => {
  const walk = window.walk;
  const at = document.activeElement;
  const state = walk.arrive(at);
  if (state !== "new" && state !== "last") return state;
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  // A few frames, for what moves out of the way.
  for (let frames = 0; frames < 10 && walk.faultOf(at) !== ""; frames += 1) await frame();
  const fault = walk.faultOf(at);
  if (fault !== "") walk.faults.push(walk.name(at) + ": " + fault);
  return state === "last" ? "over" : "on";
})()`;

const walkResult = `(() => {
  const { missed, faults, name } = window.walk;
  return [...missed().map((stop) => name(stop) + ": Tab never gets there"), ...faults];
})()`;

/** A date and time has eight fields within one stop. */
const pressesMax = (stops: number): number => stops * 2 + 40;
/** Pressed without waiting for each other. */
const pressesAtOnce = 20;

/**
 * Walks from the start of the document (or of an open dialog) with Tab alone; answers what went
 * wrong on the way. A walk that waits for nothing finds most screens in order, at a third of the
 * cost; any other screen is walked again, stop by stop.
 */
export async function keyboardFaults(page: Page): Promise<string[]> {
  if (await isWalkedInOneGo(page)) return [];
  await page.evaluate(focusDocumentStart);
  const stops = await page.evaluate<number>(startWalk);
  for (let press = 0; press < pressesMax(stops); press += 1) {
    await page.keyboard.press("Tab");
    const state = await page.evaluate<string>(noteStop);
    if (state === "over") return page.evaluate<string[]>(walkResult);
    if (state !== "on") return [state, ...(await page.evaluate<string[]>(walkResult))];
  }
  return ["Tab goes on and on", ...(await page.evaluate<string[]>(walkResult))];
}

async function isWalkedInOneGo(page: Page): Promise<boolean> {
  await page.evaluate(focusDocumentStart);
  const stops = await page.evaluate<number>(startWalk);
  await page.evaluate(lookAtEachTab);
  let state = "on";
  for (let pressed = 0; state === "on" && pressed < pressesMax(stops); pressed += pressesAtOnce) {
    await Promise.all(Array.from({ length: pressesAtOnce }, () => page.keyboard.down("Tab")));
    state = await page.evaluate<string>("window.walk.state");
  }
  await page.keyboard.up("Tab");
  return page.evaluate<boolean>(endOfLooking);
}
