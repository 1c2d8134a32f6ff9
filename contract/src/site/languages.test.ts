import { expect, test } from "vitest";
import { buildLanguage } from "./languages.ts";

test.each([
  [["zh-CN", "en"], "zh-CN"],
  [["zh"], "zh-CN"],
  [["zh-Hant-TW", "en-US"], "zh-CN"],
  [["en-GB", "zh-CN"], "en"],
  [["de-AT", "en"], "de"],
  [["es-419"], "es"],
  [["fr-CA", "en-CA"], "fr"],
  [["ja-JP", "en-US"], "ja"],
  [["pt-BR", "zh-HK"], "zh-CN"],
  [["pt-BR", "nl"], "en"],
  [["PT", "DE"], "de"],
  [[], "en"],
])("the preference %j gets %s", (wishes, language) => {
  expect(buildLanguage(wishes)).toBe(language);
});
