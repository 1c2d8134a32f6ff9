import { expect, test } from "vitest";
import { toImageUrl } from "./image-url.ts";

const own = "http://gateway.example:3000";

test.each([
  [undefined, undefined],
  ["", undefined],
  ["https://pictures.example/logo.svg", "https://pictures.example/logo.svg"],
  ["/logo.png", `${own}/logo.png`],
  ["logo.png", `${own}/logo.png`],
  [`${own}/logo.png`, `${own}/logo.png`],
  ["http://pictures.example/logo.png", undefined],
  ["//pictures.example/logo.png", undefined],
  ["javascript:alert(1)", undefined],
  ["java\nscript:alert(1)", undefined],
  ["data:image/svg+xml,<svg onload='alert(1)'/>", undefined],
  [`blob:${own}/1`, undefined],
])("the logo %j is loaded from %j", { tags: ["F-92"] }, (text, address) => {
  expect(toImageUrl(text, own)).toBe(address);
});
