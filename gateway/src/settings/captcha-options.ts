/** The settings of the captcha services. */
import { type CaptchaService, captchaServices } from "@tollgate/contract/accounts/captcha.ts";
import type { OptionReader } from "./live-options.ts";

export const captchaOptions = {
  turnstile: {
    flag: "TurnstileCheckEnabled",
    siteKey: "TurnstileSiteKey",
    secret: "TurnstileSecretKey",
  },
  hcaptcha: {
    flag: "HCaptchaCheckEnabled",
    siteKey: "HCaptchaSiteKey",
    secret: "HCaptchaSecretKey",
  },
} as const;

/** The service that is switched on, of two the first; undefined without one. */
export const findCaptchaService = (options: OptionReader): CaptchaService | undefined =>
  captchaServices.find((service) => options.flag(captchaOptions[service].flag));
