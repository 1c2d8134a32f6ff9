import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import buildIcon from "./build-icon.ts";

const Mark = buildIcon({ name: "mark", node: [["path", { d: "M1 2", key: "a" }]] });
const draw = (props = {}): string => renderToStaticMarkup(createElement(Mark, props));

test("an icon is decoration with its shapes, in the size of its class or 24 pixels", () => {
  expect(draw({ className: "size-4" })).toBe(
    '<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" class="line-icon lucide-mark size-4"><path d="M1 2"></path></svg>',
  );
});

test("an icon that has a name of its own is told", () => {
  expect(draw({ "aria-label": "Good" })).not.toContain("aria-hidden");
  expect(draw({ role: "img" })).not.toContain("aria-hidden");
});
