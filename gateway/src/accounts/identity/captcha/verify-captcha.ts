/** Asks a captcha service about a token. */
import type { CaptchaService } from "@tollgate/contract/accounts/captcha.ts";
import type { Egress } from "../../../egress/egress.ts";
import { requestText } from "../../../egress/request-text.ts";
import { type CaptchaExpectation, type CaptchaVerdict, judgeCaptcha } from "./captcha-rules.ts";

export interface CaptchaQuestion extends CaptchaExpectation {
  service: CaptchaService;
  siteKey: string;
  secret: string;
  token: string;
}

export type VerifyCaptcha = (question: CaptchaQuestion) => Promise<CaptchaVerdict>;

interface VerifyCaptchaDeps {
  egress: Egress;
  /** The servers that take tokens. */
  urls: Readonly<Record<CaptchaService, string>>;
  deadlineMs: number;
}

const replyBytesMax = 16 * 1024;
const paths = { turnstile: "/turnstile/v0/siteverify", hcaptcha: "/siteverify" } as const;

/**
 * Never throws. The visitor's address is not sent: the service has seen it, and behind a proxy ours
 * may be another.
 */
export function createCaptchaVerifier({
  egress,
  urls,
  deadlineMs,
}: VerifyCaptchaDeps): VerifyCaptcha {
  return async ({ service, siteKey, secret, token, ...expected }) => {
    const form = new URLSearchParams({
      secret,
      response: token,
      ...(service === "hcaptcha" && { sitekey: siteKey }),
    });
    const headers = {
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
    };
    const request = {
      method: "POST",
      url: urls[service] + paths[service],
      headers,
      body: form.toString(),
      replyBytesMax,
    } as const;
    try {
      const { status, text } = await requestText(egress, request, AbortSignal.timeout(deadlineMs));
      return judgeCaptcha(service, { status, body: parseReply(text) }, expected);
    } catch (error) {
      return { silent: error instanceof Error ? error.message : String(error) };
    }
  };
}

/** Undefined for what is no JSON, as error pages of proxies are. */
function parseReply(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
