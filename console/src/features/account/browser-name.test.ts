import { expect, test } from "vitest";
import { readBrowser } from "./browser-name.ts";

const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox 145, Linux"],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/142.0.0.0 Safari/537.36`,
    "Chrome 142, Windows",
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
    "Edge 142, Windows",
  ],
  [
    `Mozilla/5.0 (Linux; Android 16) ${webkit} Chrome/142.0.0.0 Mobile Safari/537.36`,
    "Chrome 142, Android",
  ],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/142.0.0.0 Safari/537.36`,
    "Chrome 142, Linux",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1",
    "Safari 26, iOS",
  ],
  ["curl/8.9.1", "curl/8.9.1"],
  ["node", "node"],
  ["", ""],
  ["x".repeat(500), "x".repeat(40)],
])("%s is %s", (userAgent, name) => expect(readBrowser(userAgent)).toBe(name));
