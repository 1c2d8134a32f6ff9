// The operator's texts, which the console shows as markup, against everything that markup can do.
import { join } from "node:path";
import { updateOption } from "@tollgate/contract/site/options.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import { repositoryDir } from "../harness/repository-dir.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "../journeys/browser-gateway.ts";
import { heading, navigationLink, signIn } from "../journeys/console-pages.ts";
import { injections } from "./injections.ts";
import { openWatchedPage, type WatchedPage } from "./watched-page.ts";

let stage: TestGateway;
let root: ApiSession;

const password = "correct horse battery";
const texts = injections.map(({ text }) => text);

beforeAll(async () => {
  stage = await startBrowserGateway({ env: { INITIAL_ROOT_PASSWORD: password } });
  root = await stage.signIn("root", password);
});
afterAll(() => stage.close());

/**
 * Each in its own frame, as markdown and then as markup, without a policy; returns the indexes of
 * those that ran.
 */
const showUnguarded = `(async (texts) => {
  const ran = new Set();
  for (let start = 0; start < texts.length; start += 60) {
    const frames = texts.slice(start, start + 60).map((text, offset) => {
      const frame = document.createElement("iframe");
      const place = start + offset;
      window["note" + place] = () => ran.add(place);
      const tell = "parent.note" + place + "()";
      frame.srcdoc = "<script>pwn=()=>{" + tell + "};alert=pwn</" + "script>" + marked.parse(text) + "<hr>" + text;
      document.body.append(frame);
      return frame;
    });
    await Promise.all(frames.map((frame) => new Promise((done) => { frame.onload = done; setTimeout(done, 3000); })));
    for (const { contentDocument } of frames)
      for (const part of contentDocument?.querySelectorAll("a, button, input, text, b, area, mi") ?? []) {
        part.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
        part.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
      }
    await new Promise((done) => setTimeout(done, 150));
    for (const frame of frames) frame.remove();
  }
  return [...ran];
})`;

/** In the short form a few of them do, which are others of every family. */
const isFull = process.env.INJECTIONS === "full";
const tried = isFull ? injections : injections.filter((_, place) => place % 4 === 0);

test("F-90 a page without our defences runs many of them, of every family that is markup", {
  tags: ["F-90"],
}, async () => {
  const visitor = await stage.newContext();
  const page = await visitor.newPage();
  page.on("dialog", (dialog) => dialog.dismiss().catch(() => undefined));
  await page.route("**/*", (route) => route.abort());
  await page.route("http://unguarded.example/", (route) =>
    route.fulfill({ contentType: "text/html", body: "<body>" }),
  );
  await page.goto("http://unguarded.example/");
  await page.addScriptTag({ path: join(repositoryDir, "node_modules/marked/lib/marked.umd.js") });
  const shown = JSON.stringify(tried.map(({ text }) => text));
  const ran = await page.evaluate<number[]>(`${showUnguarded}(${shown})`);
  expect(ran.length / tried.length).toBeGreaterThan(0.25);
  const families = [...new Set(ran.map((place) => tried[place]?.family))];
  expect(families).toEqual(
    expect.arrayContaining(["scripts", "handlers", "links", "mutations", "markdown"]),
  );
  await visitor.close();
});

const set = (key: string, value: string) => root.call(updateOption, { body: { key, value } });
const chunked = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, place) =>
    all.slice(place * size, (place + 1) * size),
  );

/**
 * What must not be in any text of the operator, whatever it was made from: it could lie over the
 * page or name its parts.
 */
const leftovers = `[...document.querySelectorAll(".rich-text, .rich-text *")].flatMap((part) => [
  ...(/^(script|style|link|form|input|button|select|textarea|svg|math|template|dialog|video|audio|marquee)$/i.test(part.localName)
    ? [part.localName] : []),
  ...[...part.attributes].filter(({ name, value }) =>
    /^(on|style|id|name|srcset|ping|formaction|popover|autofocus|tabindex|background|is)/.test(name) ||
    (name === "class" && !part.matches(".rich-text")) ||
    (/^(href|src|cite)$/.test(name) && !/^(https?:\\/\\/|mailto:|\\/(?![\\/\\\\])|#)/i.test(value)))
    .map(({ name, value }) => part.localName + " " + name + "=" + value),
])`;

// Browsers report inline handlers to the policy as soon as a sanitiser parses them, although
// nothing runs. So the policy is off where texts are sanitised: what gets through would run.
const unguarded = { bypassCSP: true };

describe("texts of the operator", () => {
  let watched: WatchedPage;
  let page: Page;
  beforeAll(async () => {
    watched = await openWatchedPage(await stage.newContext(unguarded), { pictures: true });
    page = watched.page;
    await page.goto("/login?redirect_to=/settings/other");
    await signIn(page, "root", password);
    await heading(page, "Settings").waitFor();
  });
  afterAll(() => page.context().close());

  async function expectHarmless(about: string): Promise<void> {
    expect(await page.evaluate<string[]>(leftovers), about).toEqual([]);
    expect(await watched.violations(), about).toEqual([]);
  }

  test("F-90 what does run is noticed", { tags: ["F-90"] }, async () => {
    const other = await openWatchedPage(await stage.newContext(unguarded));
    await other.page.goto("/login");
    for (const [html, told] of [
      ["<img src=x onerror=pwn()>", "a payload ran"],
      ["<img src=x onerror=alert(7)>", "a dialog was opened: 7"],
      ["<a href=javascript:pwn()>x</a>", "a href=javascript:pwn()"],
      ["<img src=https://a.example/x>", "asked for https://a.example/x as image"],
      ["<iframe src=https://a.example/y></iframe>", "led to https://a.example/y"],
    ] as const) {
      await other.page.evaluate(
        `document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(html)})`,
      );
      await expect.poll(other.violations, { message: html }).toContain(told);
      await other.page.reload();
    }
    await other.page.context().close();
  });

  test("F-90 F-91 every payload by itself, rendered as its writer sees it", {
    tags: ["F-90", "F-91"],
  }, async () => {
    await page.goto("/settings/other");
    await page.getByRole("button", { name: "Preview Notice" }).click();
    const found = await page.evaluate<string[]>(`(async (texts) => {
      const field = document.querySelector("textarea[name=Notice]");
      const put = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set;
      const found = [];
      for (const [place, text] of texts.entries()) {
        put.call(field, "before " + place + "\\n\\n" + text);
        field.dispatchEvent(new Event("input", { bubbles: true }));
        for (let tries = 0; tries < 200 && !document.querySelector(".rich-text")?.textContent.includes("before " + place); tries += 1)
          await new Promise((done) => setTimeout(done));
        if (!document.querySelector(".rich-text").textContent.includes("before " + place)) found.push("not shown: " + text);
        const left = ${leftovers};
        if (left.length > 0) found.push(text + ": " + left.join(", "));
      }
      return found;
    })(${JSON.stringify(texts)})`);
    expect(found).toEqual([]);
    await expectHarmless("after all previews");
  });

  const storable = texts.map((text) => text.replaceAll("\0", ""));
  const chunks = isFull ? storable.map((text) => [text]) : chunked(storable, 140);
  test("F-90 F-91 home page, notice, footer and about", {
    tags: ["F-90", "F-91"],
    timeout: 3_600_000,
  }, async () => {
    for (const chunk of chunks) {
      const hostile = chunk.join("\n\n");
      await Promise.all([
        set("HomePageContent", `Before home page\n\n${hostile}`),
        set("About", `Before about\n\n${hostile}`),
        set("Notice", `Before notice\n\n${hostile}`),
        set("Footer", `Before footer\n\n${hostile}`),
      ]);
      await page.goto("/");
      await page.getByRole("main").getByText("Before home page").first().waitFor();
      await page
        .getByRole("region", { name: "Notice" })
        .getByText("Before notice")
        .first()
        .waitFor();
      await page.getByRole("contentinfo").getByText("Before footer").first().waitFor();
      await expectHarmless(hostile);
      await navigationLink(page, "About").click();
      await page.getByRole("main").getByText("Before about").first().waitFor();
      await expectHarmless(hostile);
    }
  });

  test("F-91 what was put where the browser keeps the last rendering", {
    tags: ["F-91"],
  }, async () => {
    await page.goto("/");
    await page.getByRole("main").getByText("Before home page").first().waitFor();
    await page.route("**/api/home_page_content", () => {});
    for (const chunk of chunked(texts, 140)) {
      const retained = `<p>Kept from before</p>${chunk.join("")}`;
      await page.evaluate(
        `localStorage.setItem("home_page_content_html", ${JSON.stringify(retained)})`,
      );
      await page.reload();
      await page.getByText("Kept from before").first().waitFor();
      await expectHarmless(retained);
    }
    await page.unroute("**/api/home_page_content");
  });
});
