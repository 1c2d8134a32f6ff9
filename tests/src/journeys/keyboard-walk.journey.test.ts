// The walk by Tab on small documents: what it must find, and that it ends.
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedBrowser } from "../harness/chromium.ts";
import { keyboardFaults } from "./keyboard-walk.ts";

let context: BrowserContext;
let page: Page;
beforeAll(async () => {
  context = await (await sharedBrowser()).newContext({ viewport: { width: 800, height: 600 } });
  page = await context.newPage();
});
afterAll(() => context.close());

const many = Array.from(
  { length: 30 },
  (_, place) => `<p><button>Button ${place}</button></p>`,
).join("");
const bar = '<div style="position:fixed; inset:0 0 auto 0; height:80px; background:white"></div>';

test.each([
  [
    "buttons below the fold, a date and a group of radios are in order",
    `${many}<input type="date" /><input type="radio" name="a" tabindex="-1" /><input type="radio" name="a" checked />`,
    [],
  ],
  ["a page without anything to reach", "<p>Nothing</p>", []],
  [
    "a button whose focus cannot be seen",
    `${many}<button style="outline:none">Unseen</button>`,
    ['button "Unseen": its focus cannot be seen'],
  ],
  [
    "a button below a bar",
    `${bar}<button>Covered</button>`,
    ['button "Covered": it is covered while focused'],
  ],
  [
    "a button outside of the window",
    '<button style="position:fixed; left:-500px">Away</button>',
    ['button "Away": it is outside of the window while focused'],
  ],
  [
    "a button that passes its focus on",
    '<button onfocus="document.querySelector(`a`).focus()">Skipped</button><a href="#there">Link</a>',
    ['button "Skipped": Tab never gets there'],
  ],
])("%s", async (_, body, faults) => {
  await page.setContent(
    `<!doctype html><html lang="en"><title>Walk</title><body>${body}</body></html>`,
  );
  expect(await keyboardFaults(page)).toEqual(faults);
});

test("a field that keeps the focus is a trap", { tags: ["large"] }, async () => {
  await page.setContent(`<button>First</button><textarea aria-label="Trap"></textarea><button>Last</button>
    <script>document.querySelector("textarea").onkeydown = (event) => event.key === "Tab" && event.preventDefault();</script>`);
  expect(await keyboardFaults(page)).toEqual([
    'trapped at textarea "Trap"',
    'button "Last": Tab never gets there',
  ]);
});

test.each([
  ["in order", "", []],
  [
    "with a button whose focus cannot be seen",
    "outline:none",
    ['button "Close": its focus cannot be seen'],
  ],
])(
  "a dialog is walked from the field that has the focus, and round: %s",
  async (_, style, faults) => {
    await page.setContent(`<button>Behind</button>
    <dialog><button style="${style}">Close</button><input aria-label="Name" /><button>Save</button></dialog>
    <script>document.querySelector("dialog").showModal(); document.querySelector("input").focus();</script>`);
    expect(await keyboardFaults(page)).toEqual(faults);
  },
);
