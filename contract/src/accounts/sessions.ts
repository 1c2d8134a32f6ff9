/** Sign-in, sign-out and the caller's own account. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { line, unixMillis } from "../api/scalars.ts";
import { confirmation } from "./accounts.ts";
import { recoveryCode } from "./totp.ts";
import { editedUsername, email, passwordOrNone, presentedPassword, user } from "./users.ts";

export const credentials = z.object({
  /** A username or a mail address. */
  username: line(50).check(z.minLength(1, "Username is required")),
  password: presentedPassword.check(z.minLength(1, "Password is required")),
  /** Empty counts as absent. */
  totp_code: z.optional(z.string().check(z.regex(/^(?:[0-9]{6})?$/, "TOTP code must be 6 digits"))),
  /** A single-use replacement for a TOTP code. */
  recovery_code: z.optional(recoveryCode),
});

export const login = endpoint("POST", "/api/user/login", {
  access: "public",
  scope: "none",
  inReadOnly: true,
  summary: "Sign in with a password; sets the session cookie",
  body: credentials,
  data: user,
  limit: "sign-in",
  beforePasswordChange: true,
});

const signOut = {
  access: "public",
  scope: "none",
  inReadOnly: true,
  summary: "Sign out; always succeeds",
  /**
   * `logout_url` is the address at which the browser ends its session at the provider that opened
   * it, if that is to end too.
   */
  extras: z.object({ logout_url: z.optional(z.string()) }),
  beforePasswordChange: true,
} as const;
export const logoutByGet = endpoint("GET", "/api/user/logout", {
  ...signOut,
  proof: "same-origin",
});
export const logout = endpoint("POST", "/api/user/logout", signOut);

export const getSelf = endpoint("GET", "/api/user/self", {
  access: "user",
  scope: "users:read",
  summary: "The caller's account",
  data: z.extend(user, {
    /**
     * False for an account created by an external sign-in: it reauthenticates with a TOTP code or
     * that sign-in.
     */
    has_password: z.boolean(),
    /**
     * The operator demands a second factor of this role, and this sign-in had none: nothing else is
     * answered until it is set up.
     */
    must_add_second_factor: z.boolean(),
    /**
     * The personal access token, or null without one. Times are null where they are not known, or
     * it was never used.
     */
    access_token: z.nullable(
      z.object({ created_at: z.nullable(unixMillis), used_at: z.nullable(unixMillis) }),
    ),
  }),
  beforePasswordChange: true,
});

export const selfInput = z.object({
  username: z.optional(editedUsername),
  /** Empty clears it. */
  display_name: z.optional(line(20)),
  email: z.optional(email),
  /**
   * The code mailed to the new address, where addresses are verified: a call without it mails the
   * code, changes nothing and is refused with `email_code_required`. Empty counts as absent.
   */
  email_verification_code: z.optional(line(20)),
  /** Empty keeps the password, since forms send that for an untouched field. */
  password: z.optional(passwordOrNone),
  /** Required to change the password or mail address when the sign-in is older than ten minutes. */
  ...confirmation,
});

export const updateSelf = endpoint("PUT", "/api/user/self", {
  access: "user",
  scope: "none",
  summary:
    "Change the caller's name, mail address or password; a new password ends all other sessions",
  body: selfInput,
  limit: "sign-in",
  beforePasswordChange: true,
});

/** A session as its owner can recognise it. */
export const session = z.object({
  id: z.string(),
  /** The session of this request. */
  is_current: z.boolean(),
  address: z.string(),
  user_agent: z.string(),
  created_at: unixMillis,
  seen_at: unixMillis,
  expires_at: unixMillis,
});
export type Session = z.output<typeof session>;

export const listSessions = endpoint("GET", "/api/user/sessions", {
  access: "user",
  scope: "none",
  summary: "The caller's active sessions, the most recently used first",
  data: z.array(session),
});

export const endSession = endpoint("DELETE", "/api/user/sessions/:id", {
  access: "user",
  scope: "none",
  inReadOnly: true,
  summary: "End one of the caller's sessions",
  params: z.object({
    id: z.string().check(z.regex(/^[0-9a-f]{32}$/, makeAboutField("must be the id of a session"))),
  }),
});

export const endOtherSessions = endpoint("DELETE", "/api/user/sessions", {
  access: "user",
  scope: "none",
  inReadOnly: true,
  summary: "End all of the caller's sessions except this one",
  data: z.object({ ended: z.int() }),
});
