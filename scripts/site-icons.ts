// `node scripts/site-icons.ts`: draws the icons of the console and the social picture from the mark
// in favicon.svg, with Chromium, into console/public. The files are committed; the build copies
// them.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../tests/src/harness/chromium.ts";
import { wrapAsIco } from "./wrap-as-ico.ts";

const folder = join(import.meta.dirname, "../console/public");
const accent = "#0f7b80";
const mark = readFileSync(join(folder, "favicon.svg"), "utf8").replace(
  /<style>.*?<\/style>|<title>.*?<\/title>/g,
  "",
);

/** `inset` is the share of the side that stays free around the mark. */
const buildIcon = (inset: number, colours: { mark: string; ground: string }) => `
<div style="width:100vw;height:100vh;display:grid;place-items:center;background:${colours.ground}">
<div style="width:${100 - inset * 200}vw;color:${colours.mark}">${mark.replace(/fill="[^"]*"/, 'fill="currentColor"')}</div></div>`;

const fonts = "Inter, 'Helvetica Neue', Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";
const paint = (colour: string) => mark.replace(/fill="[^"]*"/, `fill="${colour}"`);
const social = `
<div style="position:relative;overflow:hidden;width:1200px;height:630px;box-sizing:border-box;padding:88px 96px;display:flex;
flex-direction:column;justify-content:space-between;background:#0b3438;color:#f4fbfb;font-family:${fonts}">
<div style="position:absolute;right:-40px;bottom:-60px;width:640px">${paint("#114449")}</div>
<div style="position:relative;display:flex;align-items:center;gap:32px">
<div style="width:120px">${paint("#8fe0e0")}</div>
<div style="font-size:96px;font-weight:700;letter-spacing:-3px">Tollgate</div></div>
<div style="position:relative;font-size:42px;line-height:58px;max-width:860px">One key for every AI model.<br>
<span style="color:#a9d8d8">A self-hosted gateway that routes each call, counts its cost and shows what happened.</span></div></div>`;

async function draw(
  browser: Browser,
  html: string,
  width: number,
  height: number,
  isClear = false,
): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width, height } });
  await page.setContent(`<style>body{margin:0}svg{display:block}</style>${html}`);
  const picture = await page.screenshot({ omitBackground: isClear });
  await page.close();
  return picture;
}

const onWhite = { mark: accent, ground: "#ffffff" };
const browser = await launchBrowser();
const clear = { mark: accent, ground: "transparent" };
const small = await Promise.all(
  [16, 32, 48].map(async (side) => ({
    side,
    picture: await draw(browser, buildIcon(0, clear), side, side, true),
  })),
);
writeFileSync(join(folder, "favicon.ico"), wrapAsIco(small));
writeFileSync(
  join(folder, "apple-touch-icon.png"),
  await draw(browser, buildIcon(0.16, onWhite), 180, 180),
);
writeFileSync(
  join(folder, "icon-192.png"),
  await draw(browser, buildIcon(0.16, onWhite), 192, 192),
);
writeFileSync(join(folder, "social.png"), await draw(browser, social, 1200, 630));
await browser.close();
