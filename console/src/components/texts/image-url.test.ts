import { expect, test } from "vitest";
import { buildImageUrl } from "./image-url.ts";

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
  // Inside an image element, a drawing runs no script and loads nothing.
  ["data:image/svg+xml;base64,PHN2Zy8+", "data:image/svg+xml;base64,PHN2Zy8+"],
  ["data:image/png;base64,AAAA", "data:image/png;base64,AAAA"],
  ["data:text/html,<script>alert(1)</script>", undefined],
  ["data:image/svg+xml,<svg/>", undefined],
  [`blob:${own}/1`, undefined],
])("the logo %j is loaded from %j", { tags: ["F-92"] }, (text, address) => {
  expect(buildImageUrl(text, own)).toBe(address);
});
