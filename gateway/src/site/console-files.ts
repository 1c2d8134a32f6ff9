/**
 * Serves the built console: hashed files compressed and immutable, and for the paths of the console
 * the index page with a nonce, its content security policy, and the settings that the first paint
 * needs. Other paths get JSON with the address that was probably meant.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { captchaPagePath } from "@tollgate/contract/accounts/captcha.ts";
import { isConsolePath } from "@tollgate/contract/site/console-paths.ts";
import { readBasePath } from "../http/base-path.ts";
import { formatUnknownPathMessage } from "../http/unknown-path.ts";
import { buildCaptchaPage, type CaptchaWidget } from "./captcha-page.ts";
import { findOwnPage } from "./foreign-pages.ts";
import { readFiles, sendFile } from "./static-files.ts";

export interface ConsoleSiteDeps {
  /** The output of `npm run build -w console`. */
  folder: string;
  /** The status object, which the page would otherwise have to request first. */
  settings(): unknown;
  /** The operator's notice: a page that asked for it would move down when it comes. */
  notice(): string;
  /** The captcha that strangers are asked for; undefined where none is switched on. */
  captcha(): CaptchaWidget | undefined;
  isSecure: boolean;
  /** The address at which people reach the site; undefined where the operator names none. */
  publicUrl: string | undefined;
}

export type ConsoleSite = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
) => void;

const plainTextHeaders = {
  "content-type": "text/plain; charset=utf-8",
  "x-content-type-options": "nosniff",
};

/**
 * Browsers ask for this icon wherever they show no page of the console, such as a reply of the API.
 */
const impliedIcon = "/favicon.ico";
const icon = "/favicon.svg";

const notBuiltPage =
  "<!doctype html><title>Tollgate</title><p>The console is not built. Run <code>npm run build -w console</code>, then reload.";

export function createConsoleSite({
  folder,
  settings,
  notice,
  captcha,
  isSecure,
  publicUrl,
}: ConsoleSiteDeps): ConsoleSite {
  const files = readFiles(folder);
  const basePath = readBasePath(URL.parse(publicUrl ?? "") ?? undefined);
  const index = existsSync(join(folder, "index.html"))
    ? moveBelow(readFileSync(join(folder, "index.html"), "utf8"), basePath)
    : undefined;
  const preloads = index ? readPreloads(folder, basePath) : () => "";
  const social = buildSocialTags(publicUrl);

  return (request, response, path) => {
    const isRead = request.method === "GET" || request.method === "HEAD";
    const file = isRead
      ? (files.get(path) ?? (path === impliedIcon ? files.get(icon) : undefined))
      : undefined;
    if (file) return sendFile(request, response, file);
    if (path.startsWith("/assets/")) {
      response.writeHead(404, plainTextHeaders).end("no such file");
      return;
    }
    const widget = captcha();
    if (isRead && widget && path === captchaPagePath) {
      const { page, headers } = buildCaptchaPage(widget);
      response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : page);
      return;
    }
    const here = isRead && wantsPage(request) ? findOwnPage(path) : undefined;
    if (here !== undefined) {
      response.writeHead(302, { location: basePath + here, "cache-control": "no-store" }).end();
      return;
    }
    const isPage = isConsolePath(path);
    if (!isRead || !(isPage ? isForPeople(request) : wantsPage(request)))
      return refusePath(request, response, path);
    const nonce = randomBytes(16).toString("base64");
    const page = (index ?? notBuiltPage)
      .replaceAll("__NONCE__", nonce)
      .replace(
        "</head>",
        () =>
          `${preloads(path)}${social}${readJsonBlock("settings", settings())}${readNoticeBlock(notice())}</head>`,
      );
    // The console says "Page not found" for a path that is none of its pages.
    response.writeHead(index ? (isPage ? 200 : 404) : 503, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      ...buildSecurityHeaders(nonce, { isSecure, framesOwn: widget !== undefined }),
    });
    response.end(request.method === "HEAD" ? undefined : page);
  };
}

/**
 * Browsers ask for a page by name; programs that ask for anything get JSON where there is no page.
 */
const wantsPage = ({ headers }: IncomingMessage): boolean =>
  /text\/html/.test(headers.accept ?? "");

/**
 * `/models` is a page of the console and, with a key, the list of models whose client left out the
 * version.
 */
const isForPeople = (request: IncomingMessage): boolean =>
  wantsPage(request) ||
  (request.headers.authorization === undefined && request.headers["x-api-key"] === undefined);

function refusePath(request: IncomingMessage, response: ServerResponse, path: string): void {
  const message = formatUnknownPathMessage(request.method ?? "", path);
  const body = JSON.stringify({
    error: { message, type: "invalid_request_error", param: null, code: "unknown_path" },
  });
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
  };
  response.writeHead(404, { ...headers, "x-content-type-options": "nosniff" });
  response.end(request.method === "HEAD" ? undefined : body);
}

/** `moveBelow` has the page and its scripts find everything below the path of the site. */
const moveBelow = (page: string, basePath: string): string =>
  page
    .replace('siteBasePath = ""', () => `siteBasePath = "${basePath}"`)
    .replaceAll(/(?<= (?:href|src)=")(?=\/)/g, () => basePath);

interface ManifestChunk {
  file: string;
  imports?: string[];
}

/**
 * The console's build writes `preloads.json` with the modules of each route, the manifest with
 * their files, and `words.json` with the parts of the languages' catalogues that they show: which
 * language is read, the browser knows alone.
 */
function readPreloads(folder: string, basePath: string): (path: string) => string {
  const manifestFile = join(folder, ".vite/manifest.json");
  const routesFile = join(folder, ".vite/preloads.json");
  if (!existsSync(manifestFile) || !existsSync(routesFile)) return () => "";
  const manifest = JSON.parse(readFileSync(manifestFile, "utf8")) as Record<string, ManifestChunk>;
  const routes = JSON.parse(readFileSync(routesFile, "utf8")) as [
    pattern: string,
    ...modules: string[],
  ][];
  const wordsFile = join(folder, ".vite/words.json");
  const words = existsSync(wordsFile)
    ? (JSON.parse(readFileSync(wordsFile, "utf8")) as Record<string, string>)
    : {};

  function filesOf(module: string, seen = new Set<string>()): Set<string> {
    const chunk = manifest[module];
    if (!chunk || seen.has(chunk.file)) return seen;
    seen.add(chunk.file);
    for (const imported of chunk.imports ?? []) filesOf(imported, seen);
    return seen;
  }
  const compiled = routes.map(([pattern, ...modules]) => ({
    pattern: new RegExp(pattern),
    links: [
      `<meta name="words" content="${modules.flatMap((module) => words[module] || []).join(" ")}">`,
      ...[...new Set(modules.flatMap((module) => [...filesOf(module)]))].map(
        (file) => `<link rel="modulepreload" href="${basePath}/${file}">`,
      ),
    ].join(""),
  }));
  return (path) => compiled.find(({ pattern }) => pattern.test(path))?.links ?? "";
}

/** JSON inside a script element must not contain its end tag. */
const readJsonBlock = (id: string, value: unknown): string =>
  `<script type="application/json" id="${id}">${JSON.stringify(value).replaceAll("<", "\\u003c")}</script>`;

/**
 * `buildSocialTags` say what a chat shows below a link to the site. They name no page and nothing
 * of the operator; the picture has to have a whole address, which only the operator knows.
 */
const buildSocialTags = (publicUrl: string | undefined): string =>
  publicUrl === undefined
    ? ""
    : [
        '<meta property="og:type" content="website">',
        `<meta property="og:image" content="${publicUrl}/social.png">`,
        '<meta property="og:image:width" content="1200"><meta property="og:image:height" content="630">',
        '<meta name="twitter:card" content="summary_large_image">',
      ].join("");

/** Each page carries the notice; a longer one is asked for by the console instead. */
const noticeLengthMax = 4_000;
const readNoticeBlock = (text: string): string =>
  text.length > noticeLengthMax ? "" : readJsonBlock("notice", text);

interface PagePolicy {
  isSecure: boolean;
  /** A page of this server may be framed, which only that of a captcha allows. */
  framesOwn: boolean;
}

const buildSecurityHeaders = (
  nonce: string,
  { isSecure, framesOwn }: PagePolicy,
): Record<string, string> => ({
  "content-security-policy": [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: https:",
    "font-src 'self'",
    "connect-src 'self'",
    `frame-src ${framesOwn ? "'self' " : ""}https:`,
    "frame-ancestors 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join("; "),
  "permissions-policy":
    "clipboard-write=(self), camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  ...(isSecure ? { "strict-transport-security": "max-age=31536000" } : {}),
});
