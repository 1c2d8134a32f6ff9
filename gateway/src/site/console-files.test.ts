import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CaptchaWidget } from "./captcha-page.ts";
import { createConsoleSite } from "./console-files.ts";

const script = `const words = "${"long enough to compress ".repeat(40)}";`;
const folder = mkdtempSync(join(tmpdir(), "console-files-"));
let server: Server;
let address: string;
let notice = "";
let captcha: CaptchaWidget | undefined;

beforeAll(async () => {
  mkdirSync(join(folder, "assets"));
  mkdirSync(join(folder, ".vite"));
  const modules = {
    "src/tokens.tsx": { file: "assets/tokens.js" },
    "src/bar.tsx": { file: "assets/bar.js" },
  };
  writeFileSync(join(folder, ".vite/manifest.json"), JSON.stringify(modules));
  writeFileSync(
    join(folder, ".vite/preloads.json"),
    JSON.stringify([["^/tokens/?$", "src/tokens.tsx", "src/bar.tsx"]]),
  );
  writeFileSync(
    join(folder, ".vite/words.json"),
    JSON.stringify({ "src/tokens.tsx": "0a1b2c", "src/bar.tsx": "" }),
  );
  writeFileSync(join(folder, "index.html"), "<html><head></head></html>");
  writeFileSync(join(folder, "favicon.svg"), "<svg/>");
  writeFileSync(join(folder, "assets/built.js"), script);
  // Other words, so that a test can tell which of the two was sent.
  writeFileSync(join(folder, "assets/built.js.br"), brotliCompressSync("by the build"));
  writeFileSync(join(folder, "assets/plain.js"), script);
  const site = createConsoleSite({
    folder,
    settings: () => ({}),
    notice: () => notice,
    captcha: () => captcha,
    isSecure: false,
    publicUrl: "https://ai.example",
  });
  server = createServer((request, response) => site(request, response, request.url ?? "/"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const get = (path: string, encoding: string) =>
  fetch(address + path, { headers: { "accept-encoding": encoding } });

test("a browser that reads Brotli gets the bytes that the build compressed", async () => {
  const reply = await get("/assets/built.js", "gzip, br");
  expect(reply.headers.get("content-encoding")).toBe("br");
  expect(reply.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(await reply.text()).toBe("by the build");
});

test("a client without Brotli, and a file that the build left plain, get what the gateway compresses", async () => {
  for (const [path, encoding] of [
    ["/assets/built.js", "gzip"],
    ["/assets/plain.js", "br"],
  ] as const) {
    const reply = await get(path, encoding);
    expect(reply.headers.get("content-encoding")).toBe(encoding);
    expect(await reply.text()).toBe(script);
  }
  expect(await (await get("/assets/built.js", "identity")).text()).toBe(script);
});

test("the compressed copy has no address of its own", async () => {
  expect((await get("/assets/built.js.br", "br")).status).toBe(404);
});

test("only the page of a captcha that is on names the origin of its script, and only pages of this server frame it", async () => {
  const page = async (path: string) => {
    const { headers } = await fetch(address + path, { headers: { accept: "text/html" } });
    return {
      policy: headers.get("content-security-policy") ?? "",
      frames: headers.get("x-frame-options"),
    };
  };
  expect((await page("/login/captcha")).policy).not.toContain("cloudflare");
  expect((await page("/login")).policy).toContain("frame-src https:");
  captcha = { service: "turnstile", siteKey: "</script><b>key</b>" };
  const { policy, frames } = await page("/login/captcha");
  expect(policy).toMatch(/script-src https:\/\/challenges\.cloudflare\.com 'nonce-[^']+';/);
  expect(policy).toContain("default-src 'none'");
  expect([policy.includes("frame-ancestors 'self'"), frames]).toEqual([true, "SAMEORIGIN"]);
  const text = await (await fetch(`${address}/login/captcha`)).text();
  expect(text).toContain("\\u003c/script>\\u003cb>key");
  expect(text).not.toContain("<b>");
  for (const path of ["/login", "/", "/dashboard", "/login/captcha/x"]) {
    const other = await page(path);
    expect(other.policy, path).not.toContain("cloudflare");
    expect(other.policy, path).toContain("frame-src 'self' https:");
    expect([other.policy.includes("frame-ancestors 'none'"), other.frames], path).toEqual([
      true,
      "DENY",
    ]);
  }
  captcha = undefined;
});

test("the page carries the operator's notice, which cannot end its element, unless it is long", async () => {
  const page = async () =>
    await (await fetch(`${address}/tokens`, { headers: { accept: "text/html" } })).text();
  const carried = /<script type="application\/json" id="notice">(.*?)<\/script>/;
  notice = "</script><b>Sunday</b>";
  expect(JSON.parse(carried.exec(await page())?.[1] ?? "")).toBe(notice);
  notice = "x".repeat(4_001);
  expect(await page()).not.toMatch(carried);
});

test("a bookmark of another gateway's console leads to the page here, for browsers alone", async () => {
  const ask = (accept: string) =>
    fetch(`${address}/console/token`, { headers: { accept }, redirect: "manual" });
  const sent = await ask("text/html");
  expect([sent.status, sent.headers.get("location")]).toEqual([302, "/tokens"]);
  expect((await ask("application/json")).status).toBe(404);
});

test("below a path, the page has its files, its scripts and its bookmarks there", async () => {
  const index =
    '<html><head><link rel="icon" href="/favicon.svg" /></head><script>window.siteBasePath = "";</script></html>';
  const below = mkdtempSync(join(tmpdir(), "console-below-"));
  writeFileSync(join(below, "index.html"), index);
  const asked = async (publicUrl: string | undefined) => {
    const site = createConsoleSite({
      folder: below,
      settings: () => ({}),
      notice: () => "",
      captcha: () => undefined,
      isSecure: false,
      publicUrl,
    });
    const own = createServer((request, response) => site(request, response, request.url ?? "/"));
    await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
    const { port } = own.address() as AddressInfo;
    const read = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { accept: "text/html" },
        redirect: "manual",
      });
    const [page, bookmark] = [await (await read("/")).text(), await read("/console/token")];
    await new Promise((resolve) => own.close(resolve));
    return { page, location: bookmark.headers.get("location") };
  };
  const moved = await asked("https://example.com/gate");
  expect(moved.page).toContain('<link rel="icon" href="/gate/favicon.svg" />');
  expect(moved.page).toContain('content="https://example.com/gate/social.png"');
  expect(moved.page).toContain('window.siteBasePath = "/gate";');
  expect(moved.location).toBe("/gate/tokens");
  const plain = await asked(undefined);
  expect(plain.page).toContain('<link rel="icon" href="/favicon.svg" />');
  expect(plain.page).toContain('window.siteBasePath = "";');
  expect(plain.location).toBe("/tokens");
  rmSync(below, { recursive: true });
});

test("the page names the code and the words that its path needs", async () => {
  const page = async (path: string) =>
    await (await fetch(`${address}${path}`, { headers: { accept: "text/html" } })).text();
  const head = await page("/tokens");
  expect([...head.matchAll(/modulepreload" href="([^"]+)"/g)].map(([, file]) => file)).toEqual([
    "/assets/tokens.js",
    "/assets/bar.js",
  ]);
  expect(head).toContain('<meta name="words" content="0a1b2c">');
  expect(await page("/about")).not.toContain("modulepreload");
});

test("a browser that asks for the usual icon gets the site's, also where it shows a reply of the API", async () => {
  const icon = await get("/favicon.ico", "identity");
  expect(icon.headers.get("content-type")).toBe("image/svg+xml");
});

test("a chat that shows a link to the site finds a picture with a whole address", async () => {
  const page = await (await fetch(`${address}/login`, { headers: { accept: "text/html" } })).text();
  expect(page).toContain('<meta property="og:image" content="https://ai.example/social.png">');
});
