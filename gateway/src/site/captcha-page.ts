/**
 * The page of a captcha's widget, which the sign-in pages frame. Only its policy names the origin
 * of the service's script, and the script ends with the frame: it reaches no page of the console
 * that lives on after the sign-in.
 */
import { randomBytes } from "node:crypto";
import type { CaptchaMessage, CaptchaService } from "@tollgate/contract/accounts/captcha.ts";

export interface CaptchaWidget {
  service: CaptchaService;
  siteKey: string;
}

interface WidgetScript {
  /** The global that it defines; both services have the same functions there. */
  global: string;
  src: string;
  /** `others` are what the service's documentation wants allowed besides the script. */
  others: string;
  /**
   * `heights` are in pixels: of its checkbox, and of the compact one, each with a little room for
   * its frame.
   */
  heights: { box: number; compactBox: number };
}

/** The only scripts of others that a page of this server runs. */
const scripts: Readonly<Record<CaptchaService, WidgetScript>> = {
  turnstile: {
    global: "turnstile",
    src: "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit",
    others: "https://challenges.cloudflare.com",
    heights: { box: 70, compactBox: 145 },
  },
  hcaptcha: {
    global: "hcaptcha",
    src: "https://js.hcaptcha.com/1/api.js?render=explicit",
    others: "https://hcaptcha.com https://*.hcaptcha.com",
    heights: { box: 82, compactBox: 150 },
  },
};

/** Until a service's script has answered; its host may be blocked where the browser is. */
const scriptTimeoutMs = 15_000;
/** `puzzleHeight` is in pixels: of hCaptcha's puzzle, which lies over the page that it is on. */
const puzzleHeight = 640;
/** `boxWidth` is in pixels: of the wider of the two checkboxes. */
const boxWidth = 303;

const failed: CaptchaMessage = { captcha: "failed" };

/** `action`, `theme` and `lang` are in the query, and go to the widget as texts. */
const composeFrameScript = ({ service, siteKey }: CaptchaWidget): string => `
  const query = new URLSearchParams(location.search);
  const tell = (message) => parent.postMessage(message, location.origin);
  const fail = () => tell(${JSON.stringify(failed)});
  const grow = (height) => tell({ captcha: "size", height });
  const late = setTimeout(fail, ${scriptTimeoutMs});
  const theme = query.get("theme") === "dark" ? "dark" : "light";
  // A frame of another scheme than its page is opaque.
  document.documentElement.style.colorScheme = theme;
  const isNarrow = innerWidth < ${boxWidth};
  const boxHeight = isNarrow ? ${scripts[service].heights.compactBox} : ${scripts[service].heights.box};
  const place = document.getElementById("widget");
  const widget = document.createElement("script");
  widget.src = ${JSON.stringify(scripts[service].src)};
  widget.onerror = () => { clearTimeout(late); fail(); };
  widget.onload = () => {
    clearTimeout(late);
    const lang = query.get("lang") ?? "en";
    window[${JSON.stringify(scripts[service].global)}].render(place, {
      sitekey: ${JSON.stringify(siteKey).replaceAll("<", "\\u003c")},
      action: query.get("action"),
      theme,
      language: lang,
      hl: lang,
      size: isNarrow ? "compact" : "normal",
      callback: (token) => tell({ captcha: "solved", token }),
      "error-callback": () => { fail(); return true; },
      "open-callback": () => grow(${puzzleHeight}),
      "close-callback": () => grow(boxHeight),
    });
    grow(boxHeight);
  };
  document.head.append(widget);
`;

/** The page with its headers, for a widget that is switched on. */
export function buildCaptchaPage(widget: CaptchaWidget): {
  page: string;
  headers: Record<string, string>;
} {
  const nonce = randomBytes(16).toString("base64");
  const { src, others } = scripts[widget.service];
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Captcha</title>
<style nonce="${nonce}">body { margin: 0 } main { display: flex; justify-content: center }</style>
</head>
<body>
<main id="widget"></main>
<script nonce="${nonce}">${composeFrameScript(widget)}</script>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src ${new URL(src).origin} 'nonce-${nonce}'`,
    `style-src ${others} 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    `connect-src ${others}`,
    `frame-src ${others}`,
    "frame-ancestors 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": policy,
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    // The services look at the host of the page.
    "referrer-policy": "strict-origin-when-cross-origin",
  };
  return { page, headers };
}
