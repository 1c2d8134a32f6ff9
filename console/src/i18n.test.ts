import { expect, test } from "vitest";
import { languageFor } from "./i18n.ts";

test.each([
  [["zh-CN", "en"], "zh-CN"],
  [["zh"], "zh-CN"],
  [["zh-Hant-TW", "en-US"], "zh-CN"],
  [["en-GB", "zh-CN"], "en"],
  [["de-DE", "zh-HK"], "zh-CN"],
  [["de-DE", "fr"], "en"],
  [[], "en"],
])("the preference %j gets %s", (wishes, language) => {
  expect(languageFor(wishes)).toBe(language);
});
