/**
 * The system's Chromium, driven by Playwright; nothing is downloaded, and background requests are
 * off.
 */
import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";
import type { Availability } from "./availability.ts";
import { findProgram } from "./find-program.ts";

// The headless shell is the same engine without the window around the page, which costs as much CPU
// time as the page.
const headlessShell = "chromium-headless-shell";
const names = [
  headlessShell,
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];
const args = [
  "--no-sandbox",
  "--disable-gpu",
  // Drawing in a process of its own costs a tenth of the time of a page.
  "--in-process-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** CHROMIUM_PATH where it is set, else the first browser on PATH. */
export function findChromium(): string | undefined {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen) return existsSync(chosen) ? chosen : undefined;
  return findProgram(names);
}

export function browserAvailable(): Availability {
  if (findChromium()) return { available: true };
  const chosen = process.env.CHROMIUM_PATH;
  return {
    available: false,
    reason: chosen ? `there is no ${chosen}` : "there is no Chromium on PATH",
  };
}

/**
 * `leanBrowserAvailable` says whether journeys run on the browser that costs least: the headless
 * shell, or the one that CHROMIUM_PATH chose.
 */
export function leanBrowserAvailable(): Availability {
  if (process.env.CHROMIUM_PATH) return browserAvailable();
  if (findProgram([headlessShell])) return { available: true };
  return { available: false, reason: `there is no ${headlessShell} on PATH` };
}

export async function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("There is no Chromium; install one or set CHROMIUM_PATH.");
  // Loaded on demand: asking whether there is a browser must not wait for it.
  const { chromium } = await import("playwright-core");
  // Without a locale, Chromium calls a file "download" whose name is not in ASCII.
  const { LANG = "C.UTF-8", ...others } = process.env;
  const env = Object.fromEntries(
    Object.entries({ ...others, LANG }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  );
  return chromium.launch({ executablePath, args, env });
}

let shared: Promise<Browser> | undefined;

/**
 * `sharedBrowser` gives one browser for all files of a test worker, which ends with the worker.
 * Contexts keep its users apart.
 */
export async function sharedBrowser(): Promise<Browser> {
  if (shared && !(await shared).isConnected()) shared = undefined;
  shared ??= launchBrowser();
  return await shared;
}
