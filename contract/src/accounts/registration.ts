/** Registration and password recovery, with codes and links that are sent by mail. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { line, unixMillis } from "../api/scalars.ts";
import { confirmation } from "./accounts.ts";
import { email, mailAddress, newPassword, username } from "./users.ts";

const code = line(20).check(z.minLength(1, "Verification code is required"));
const addressed = z.object({ email: mailAddress });

/**
 * Known and unknown addresses get the same reply, so it does not reveal whether an account exists.
 */
const verification = {
  access: "public",
  scope: "none",
  summary: "Mail a verification code to an address",
  beforePasswordChange: true,
} as const;
export const sendVerificationByGet = endpoint("GET", "/api/verification", {
  ...verification,
  query: addressed,
  proof: "same-origin",
});
export const sendVerification = endpoint("POST", "/api/verification", {
  ...verification,
  body: addressed,
  limit: "sign-in",
});

export const registration = z.object({
  username,
  password: newPassword,
  email: z.optional(email),
  verification_code: z.optional(line(20)),
  invitation_code: z.optional(line(32)),
  /** The name that older consoles send. */
  aff_code: z.optional(line(32)),
  /**
   * The secret of a link into a team. Where `InvitesMayRegister` is on, it opens a registration that
   * is closed to others, once: the invitation is that of the new account from then on.
   */
  team_invitation: z.optional(line(128)),
});

export const register = endpoint("POST", "/api/user/register", {
  access: "public",
  scope: "none",
  summary: "Create an account with a token named default",
  body: registration,
  limit: "sign-in",
  beforePasswordChange: true,
});

const resetRequest = {
  access: "public",
  scope: "none",
  summary: "Mail a link that sets a new password",
  beforePasswordChange: true,
} as const;
export const requestResetByGet = endpoint("GET", "/api/reset_password", {
  ...resetRequest,
  query: addressed,
  proof: "same-origin",
});
export const requestReset = endpoint("POST", "/api/reset_password", {
  ...resetRequest,
  body: addressed,
  limit: "sign-in",
});

const wayIn = z.object({ name: z.string(), created_at: unixMillis });
/** The ways in that a new password leaves as they are. */
const waysIn = z.object({
  passkeys: z.array(wayIn),
  /** `external_accounts` come without those that the operator does not let users unbind. */
  external_accounts: z.array(z.extend(wayIn, { provider: z.string() })),
  /** The last sign-in of the asking browser; 0 for none. What is younger may be a stranger's. */
  last_sign_in_at: unixMillis,
});
export type WaysIn = z.output<typeof waysIn>;

const linkToken = line(128).check(z.minLength(1));
export const listResetWays = endpoint("POST", "/api/user/reset/ways", {
  access: "public",
  scope: "none",
  inReadOnly: true,
  summary: "What else signs in to the account of a mailed link: its passkeys and external accounts",
  body: z.object({ email: mailAddress, token: linkToken }),
  data: waysIn,
  limit: "sign-in",
  beforePasswordChange: true,
});

export const resetPassword = endpoint("POST", "/api/user/reset", {
  access: "public",
  scope: "none",
  summary:
    "Set a new password with a mailed link; ends all sessions and the access token, keeps the second factor",
  body: z.object({
    email: mailAddress,
    token: linkToken,
    password: newPassword,
    /**
     * Disables the account's API keys too, for an owner who fears that an intruder made or read
     * one.
     */
    disable_tokens: z.optional(z.boolean()),
    /** Removes the account's passkeys. */
    end_passkeys: z.optional(z.boolean()),
    /** Unbinds its external accounts, except those that the operator does not let users unbind. */
    end_external_accounts: z.optional(z.boolean()),
  }),
  limit: "sign-in",
  beforePasswordChange: true,
});

const binding = {
  access: "user",
  scope: "none",
  summary: "Bind a mail address to the caller's account with a mailed code",
} as const;
export const bindEmailByGet = endpoint("GET", "/api/oauth/email/bind", {
  ...binding,
  query: z.object({ email: mailAddress, code }),
  proof: "same-origin",
});
export const bindEmail = endpoint("POST", "/api/oauth/email/bind", {
  ...binding,
  body: z.object({ email: mailAddress, code, ...confirmation }),
  limit: "sign-in",
});
