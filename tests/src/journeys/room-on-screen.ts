// Whether fingers have room on a screen, and tables in a window of a tablet. The scripts run inside
// the page, so they are text.
import type { Page } from "playwright-core";

/**
 * The side of the smallest square that a finger meets surely: WCAG 2.2, criterion 2.5.8, here
 * without its exceptions.
 */
const fingerPx = 24;
/** Half a pixel is lost by rounding. */
const leastPx = fingerPx - 0.5;

/**
 * What can be pressed counts with its label, and with what its style lays over its surroundings.
 */
const findSmallTargets = `(() => {
  const topmost = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
  const controls = "a[href], button, input, select, textarea, summary, [role=tab], [role^=menuitem], [role=option], [role=switch]";
  const sizesOf = (part) => {
    const overlay = getComputedStyle(part, "::after");
    const laidOver = overlay.position === "absolute" ? [{ width: parseFloat(overlay.width), height: parseFloat(overlay.height) }] : [];
    return [part, ...(part.labels ?? [])].map((box) => box.getBoundingClientRect()).concat(laidOver);
  };
  const isPressed = (part) =>
    part.checkVisibility({ visibilityProperty: true }) && !part.closest("[inert]") && !part.closest(".sr-only") &&
    part.getBoundingClientRect().width > 1;
  // A word in the operator's text is as wide as it is.
  const isWide = (part, width) => width >= ${leastPx} || part.closest(".rich-text") !== null;
  const isSmall = (part) => !sizesOf(part).some(({ width, height }) => isWide(part, width) && height >= ${leastPx});
  return [...topmost.querySelectorAll(controls)].filter((part) => isPressed(part) && isSmall(part)).map((part) => {
    const { width, height } = part.getBoundingClientRect();
    const name = part.getAttribute("aria-label") ?? part.labels?.[0]?.textContent ?? part.textContent;
    return part.tagName.toLowerCase() + " " + JSON.stringify(name.trim().slice(0, 60)) + ", " + Math.round(width) + " × " + Math.round(height) + " px";
  });
})()`;

/** What is too small to be pressed with a finger, a line for each. */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(findSmallTargets);

/**
 * Scrolls each heading of each table into view, and looks whether it is there whole and not under a
 * pinned column.
 */
const findUnreachableColumns = `(() => {
  const topmost = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
  const faults = [];
  for (const table of topmost.querySelectorAll("table")) {
    const frame = table.closest("[tabindex='0']") ?? table.parentElement;
    for (const heading of table.querySelectorAll("thead th")) {
      heading.scrollIntoView({ block: "center", inline: "nearest" });
      const { left, right, top, bottom } = heading.getBoundingClientRect();
      const room = frame.getBoundingClientRect();
      const isInside = left >= Math.max(0, room.left) - 1 && right <= Math.min(innerWidth, room.right) + 1;
      const onTop = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      if (!isInside || (onTop !== heading && !heading.contains(onTop))) faults.push(heading.textContent.trim() + " of " + table.getAttribute("aria-label"));
    }
    frame.scrollLeft = 0;
  }
  return faults;
})()`;

/** The columns that scrolling does not bring into view, a line for each. */
export const unreachableColumns = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(findUnreachableColumns);
