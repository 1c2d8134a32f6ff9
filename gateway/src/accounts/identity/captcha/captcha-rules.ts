/**
 * Questions to the captcha services, and the meaning of their answers. Pure. Turnstile:
 * https://developers.cloudflare.com/turnstile/get-started/server-side-validation (read on
 * 2026-11-23). hCaptcha: https://docs.hcaptcha.com, "Verify the User Response Server Side" (read on
 * 2026-11-23).
 */
import type { CaptchaService } from "@tollgate/contract/accounts/captcha.ts";
import * as z from "zod/mini";

/**
 * Tokens of both services are of these characters. Any others could make a firewall in front of a
 * service answer in its place.
 */
const tokenPattern = /^[\w.-]{1,8192}$/;
export const isCaptchaToken = (text: string): boolean => tokenPattern.test(text);

export interface CaptchaExpectation {
  /** `action` is what the token was made for. hCaptcha has no such member. */
  action: string;
  /** The host names of this server. */
  hostnames: readonly string[];
}

/**
 * `expired`: too old, or used before. `refused`: no proof of anything here; `reason` is for the
 * operator, and for programs. `silent`: the service gave no verdict on the token.
 */
export type CaptchaVerdict = "passed" | "expired" | { refused: string } | { silent: string };

const reply = z.object({
  success: z.boolean(),
  hostname: z.optional(z.nullable(z.string())),
  action: z.optional(z.nullable(z.string())),
  "error-codes": z.optional(z.array(z.string())),
});

/**
 * `usedUp` is that of both services: hCaptcha's older accounts get the first for every token that
 * is not good any more.
 */
const usedUp = new Set([
  "timeout-or-duplicate",
  "invalid-or-already-seen-response",
  "already-seen-response",
  "expired-input-response",
]);
/** The operator's mistake, or the service's own: no token could pass. */
const notTheVisitors = new Set(["missing-input-secret", "invalid-input-secret", "internal-error"]);

export function judgeCaptcha(
  service: CaptchaService,
  { status, body }: { status: number; body: unknown },
  { action, hostnames }: CaptchaExpectation,
): CaptchaVerdict {
  const read = reply.safeParse(body);
  if (!read.success || status >= 500 || status === 429) return { silent: `status ${status}` };
  const { success, hostname, action: stated, "error-codes": codes = [] } = read.data;
  if (!success) {
    const own = codes.find((code) => notTheVisitors.has(code));
    if (own !== undefined) return { silent: own };
    return codes.some((code) => usedUp.has(code))
      ? "expired"
      : { refused: codes.join(", ").slice(0, 200) };
  }
  if (!hostnames.includes(hostname ?? ""))
    return { refused: "it was solved for another host name" };
  // A page of another console of the family states no action.
  const isForAnother = service === "turnstile" && (stated ?? "") !== "" && stated !== action;
  return isForAnother ? { refused: "it was solved for another action" } : "passed";
}
