/**
 * Captchas of other companies: before it answers a stranger where guessing or flooding pays, the
 * server may ask for the token that a widget of such a service gives a browser. A refusal with the
 * code `captcha_required` holds a `CaptchaTask` under `data`.
 */

export const captchaServices = ["turnstile", "hcaptcha"] as const;
export type CaptchaService = (typeof captchaServices)[number];

export interface CaptchaTask {
  service: CaptchaService;
  /** `action` is what the token is good for; Turnstile's are bound to it. */
  action: string;
}

/**
 * Carries the token. Consoles of other servers of the family send it as `turnstile` in the query.
 */
export const captchaHeader = "X-Captcha-Token";

/** The page of the widget, which the console frames. No other page may run a service's script. */
export const captchaPagePath = "/login/captcha";

/** `CaptchaMessage` is what that page tells the one that frames it. */
export type CaptchaMessage =
  | { captcha: "solved"; token: string }
  | { captcha: "failed" }
  /** The widget takes this many pixels: a puzzle needs more room than its checkbox. */
  | { captcha: "size"; height: number };
