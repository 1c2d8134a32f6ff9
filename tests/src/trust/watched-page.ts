// A page in which everything is noticed that a hostile text could bring about.
import type { BrowserContext, Page } from "playwright-core";
import { openPage } from "../journeys/console-pages.ts";

export interface WatchedPage {
  page: Page;
  /**
   * What ran, what was asked for elsewhere, where one was led, and markup that would run by hand.
   */
  violations(): Promise<string[]>;
}

/**
 * Markup that runs, whatever its origin: React attaches its handlers without attributes, and our
 * scripts have an address.
 */
const markupThatRuns = `[...document.querySelectorAll("*")].flatMap((part) => [
  ...(/^(iframe|frame|object|embed|applet|base|portal)$/i.test(part.localName) ? [part.localName] : []),
  ...(part.localName === "script" && part.type !== "application/json" && part.nonce === "" && !part.src.startsWith(origin + "/")
    ? ["script"] : []),
  ...(part.localName === "meta" && part.httpEquiv !== "" ? ["meta"] : []),
  ...[...part.attributes]
    .filter(({ name, value }) => /^on|^srcdoc$/i.test(name) ||
      (/^(href|xlink:href|src|action|formaction|data|ping|poster|background|values|to)$/i.test(name) &&
        /^[\\s\\0-\\x20]*(javascript|vbscript|data:text|data:image.svg|livescript|feed|view-source)/i.test(value.replace(/[\\t\\n\\r]/g, ""))))
    .map(({ name, value }) => part.localName + " " + name + "=" + value),
])`;

const isOwn = (address: string, page: Page): boolean =>
  /^(data|blob|about|chrome-error):/.test(address) ||
  new URL(address).host === new URL(page.url()).host;

/**
 * `pictures`: the page shows the operator's texts, which may contain images from other hosts and
 * nothing more.
 */
export async function openWatchedPage(
  visitor: BrowserContext,
  { pictures = false } = {},
): Promise<WatchedPage> {
  const page = await openPage(visitor);
  const seen: string[] = [];
  await page.exposeFunction("pwn", () => seen.push("a payload ran"));
  page.on("dialog", (dialog) => {
    // The console itself asks before it discards typed text.
    const isOurs = dialog.type() === "beforeunload";
    if (!isOurs) seen.push(`a dialog was opened: ${dialog.message()}`);
    // The page may be gone by then, and the dialog with it.
    (isOurs ? dialog.accept() : dialog.dismiss()).catch(() => undefined);
  });
  page.on("popup", (popup) => seen.push(`a window was opened: ${popup.url()}`));
  page.on("console", (message) => {
    const text = message.text();
    if (text.startsWith("policy: ")) seen.push(text);
  });
  await page.route(
    (address) => /^https:$/.test(address.protocol),
    (route) => {
      const request = route.request();
      const isPicture =
        pictures && request.resourceType() === "image" && request.headers().referer === undefined;
      if (!isPicture) seen.push(`asked for ${request.url()} as ${request.resourceType()}`);
      return route.fulfill({
        contentType: "image/svg+xml",
        body: "<svg xmlns='http://www.w3.org/2000/svg'/>",
      });
    },
  );
  page.on("framenavigated", (frame) => {
    if (!isOwn(frame.url(), page) || frame !== page.mainFrame()) seen.push(`led to ${frame.url()}`);
  });
  return {
    page,
    violations: async () => [...seen, ...(await page.evaluate<string[]>(markupThatRuns))],
  };
}
