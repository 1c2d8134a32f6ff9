/**
 * Waiting times measured inside the page, from the triggering event to the frame that shows the
 * result.
 */
import type { CDPSession, Page } from "playwright-core";

/** "Slow 4G" of the browser's developer tools, and a quarter of this machine's processor. */
const slow4G = {
  offline: false,
  latency: 562,
  downloadThroughput: 1_500_000 / 8,
  uploadThroughput: 750_000 / 8,
};
const quarterSpeed = 4;

export interface PageTimer {
  /** Milliseconds from the start of navigation until an element that matches is visible. */
  loaded(path: string, selector: string): Promise<number>;
  /**
   * Milliseconds from the next press, key or choice until `atLeast` matching elements are visible.
   */
  after(act: () => Promise<void>, selector: string, atLeast?: number): Promise<number>;
  /** The longest key event since the page started, in milliseconds; 0 when none took 16 or more. */
  worstKey(): Promise<number>;
  /** The cumulative layout shift since the page started. */
  shift(): Promise<number>;
  /** Heap bytes in use after a garbage collection. */
  heap(): Promise<number>;
}

export async function slowNetwork(session: CDPSession): Promise<void> {
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  await session.send("Network.emulateNetworkConditions", slow4G);
}

export async function slowProcessor(session: CDPSession): Promise<void> {
  await session.send("Emulation.setCPUThrottlingRate", { rate: quarterSpeed });
}

export async function createPageTimer(page: Page, session: CDPSession): Promise<PageTimer> {
  await page.addInitScript(pageScript);
  const waitMs = 60_000;
  const read = (name: string): Promise<number> => page.evaluate(`window.measured.${name}`);
  return {
    async loaded(path, selector) {
      await page.goto(path, { waitUntil: "commit" });
      return await page.evaluate(
        `window.measured.shown(${JSON.stringify(selector)}, 1, 0, ${waitMs})`,
      );
    },
    async after(act, selector, atLeast = 1) {
      const shown = page.evaluate<number>(
        `window.measured.acted(${waitMs}).then((at) => window.measured.shown(${JSON.stringify(selector)}, ${atLeast}, at, ${waitMs}))`,
      );
      const [ms] = await Promise.all([shown, act()]);
      return ms;
    },
    worstKey: () => read("worstKey"),
    shift: () => read("shift"),
    async heap() {
      await session.send("HeapProfiler.collectGarbage");
      return (await session.send("Runtime.getHeapUsage")).usedSize;
    },
  };
}

/** Runs in the page before its own scripts. */
const pageScript = `
  window.measured = {
    shift: 0,
    worstKey: 0,
    acted: (waitMs) => new Promise((resolve, reject) => {
      const done = (event) => resolve(event.timeStamp);
      for (const kind of ["pointerdown", "keydown", "input"]) addEventListener(kind, done, { capture: true, once: true });
      setTimeout(() => reject(new Error("no input event arrived")), waitMs);
    }),
    shown: (selector, atLeast, since, waitMs) => new Promise((resolve, reject) => {
      const look = () => {
        const found = [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
        if (found.length >= atLeast) requestAnimationFrame(() => resolve(performance.now() - since));
        else if (performance.now() - since > waitMs) reject(new Error(selector + " was not shown"));
        else requestAnimationFrame(look);
      };
      look();
    }),
  };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.measured.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (/^key|input/.test(entry.name)) window.measured.worstKey = Math.max(window.measured.worstKey, entry.duration);
    }
  }).observe({ type: "event", durationThreshold: 16, buffered: true });
`;
