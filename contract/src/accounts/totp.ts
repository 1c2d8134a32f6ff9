/**
 * The second factor: codes of an authenticator app (RFC 6238), and recovery codes for a lost
 * device.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { byId } from "../api/ids.ts";
import { line } from "../api/scalars.ts";
import { confirmation, totpCode } from "./accounts.ts";
import { presentedPassword } from "./users.ts";

/** Dashes, spaces and case do not matter. */
export const recoveryCode = line(40);

export const getTotpStatus = endpoint("GET", "/api/user/totp/status", {
  access: "user",
  scope: "none",
  summary:
    "Whether the caller's account has a second factor, and the number of recovery codes left",
  beforeSecondFactor: true,
  data: z.object({ totp_enabled: z.boolean(), recovery_codes_left: z.int() }),
});

const setup = {
  access: "user",
  scope: "none",
  summary: "A new secret to scan; it takes effect when one of its codes is confirmed",
  beforeSecondFactor: true,
  data: z.object({
    /** Base32, for typing it in. */
    secret: z.string(),
    /** The otpauth URI that the QR code shows. */
    qr_code: z.string(),
  }),
} as const;
export const setupTotpByGet = endpoint("GET", "/api/user/totp/setup", {
  ...setup,
  proof: "same-origin",
});
export const setupTotp = endpoint("POST", "/api/user/totp/setup", {
  ...setup,
  body: z.object({ current_password: confirmation.current_password }),
  limit: "sign-in",
});

export const confirmTotp = endpoint("POST", "/api/user/totp/confirm", {
  access: "user",
  scope: "none",
  summary: "Switch the second factor on with a code of the new secret; ends all other sessions",
  beforeSecondFactor: true,
  body: z.object({ totp_code: totpCode, current_password: z.optional(presentedPassword) }),
  /** Shown only in this reply. Each code works for one sign-in. */
  data: z.object({ recovery_codes: z.array(z.string()) }),
  limit: "sign-in",
});

export const disableTotp = endpoint("POST", "/api/user/totp/disable", {
  access: "user",
  scope: "none",
  summary: "Switch the second factor off with one of its codes; ends all other sessions",
  body: z
    .object({
      totp_code: z.optional(totpCode),
      recovery_code: z.optional(recoveryCode),
      current_password: z.optional(presentedPassword),
    })
    .check(
      z.refine((body) => Boolean(body.totp_code ?? body.recovery_code), {
        ...makeAboutField("or recovery_code is required"),
        path: ["totp_code"],
      }),
    ),
  limit: "sign-in",
});

export const resetTotp = endpoint("POST", "/api/user/totp/disable/:id", {
  access: "admin",
  scope: "none",
  summary: "Remove a user's second factor; ends all of the user's sessions",
  params: byId,
});
