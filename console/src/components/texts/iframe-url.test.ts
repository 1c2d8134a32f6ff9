import { expect, test } from "vitest";
import { buildIframeUrl, isOtherOrigin } from "./iframe-url.ts";

const own = "https://gate.example.org";

test.each([
  ["https://pages.example.com/welcome?x=1#top", "https://pages.example.com/welcome?x=1#top"],
  ["  https://pages.example.com\n", "https://pages.example.com"],
  ["https://pages.example.com is where we live", undefined],
  ["http://pages.example.com", undefined],
  ["https://gate.example.org/dashboard", undefined],
  ["https://GATE.example.org:443/", undefined],
  ["https://user:secret@pages.example.com", undefined],
  ["https://", undefined],
  ["javascript:alert(1)//https://", undefined],
  ["# Welcome", undefined],
  ["", undefined],
])("%j is framed as %s", { tags: ["F-94"] }, (text, address) =>
  expect(buildIframeUrl(text, own)).toBe(address),
);

test.each([
  ["/models", false],
  ["#top", false],
  ["https://gate.example.org/about", false],
  ["https://example.com", true],
  ["//example.com", true],
  ["mailto:help@example.com", true],
])("%s is another origin: %s", (address, leads) => expect(isOtherOrigin(address, own)).toBe(leads));
