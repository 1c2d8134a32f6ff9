import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { browserAvailable, findChromium, leanBrowserAvailable } from "./chromium.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-browsers-"));
  vi.stubEnv("PATH", folder);
  vi.stubEnv("CHROMIUM_PATH", undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const install = (name: string): string => {
  const file = join(folder, name);
  writeFileSync(file, "");
  return file;
};

test("without a browser, both are missing", () => {
  expect(browserAvailable()).toMatchObject({ available: false });
  expect(leanBrowserAvailable()).toMatchObject({ available: false });
});

test("beside a whole Chromium, the headless shell is missing, and is taken once it is there", () => {
  const whole = install("chromium");
  expect(browserAvailable()).toEqual({ available: true });
  expect(leanBrowserAvailable()).toMatchObject({ available: false });
  expect(findChromium()).toBe(whole);
  const lean = install("chromium-headless-shell");
  expect(leanBrowserAvailable()).toEqual({ available: true });
  expect(findChromium()).toBe(lean);
});

test("a browser that CHROMIUM_PATH names is enough", () => {
  const chosen = install("another");
  vi.stubEnv("CHROMIUM_PATH", chosen);
  expect(leanBrowserAvailable()).toEqual({ available: true });
  expect(findChromium()).toBe(chosen);
});
