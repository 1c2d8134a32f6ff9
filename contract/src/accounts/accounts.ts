/** The caller's own account: access token, invitation code, deletion and reauthentication. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { languageCodes } from "../site/languages.ts";
import { presentedPassword } from "./users.ts";

export const totpCode = z.string().check(z.regex(/^[0-9]{6}$/, "TOTP code must be 6 digits"));

/** Either is required (`reauth_required`) when the sign-in is older than ten minutes. */
export const confirmation = {
  current_password: z.optional(presentedPassword),
  totp_code: z.optional(totpCode),
};

const newToken = {
  access: "user",
  scope: "none",
  summary: "Replace the caller's access token for this API; only this reply shows the new one",
  data: z.string(),
} as const;
export const newAccessTokenByGet = endpoint("GET", "/api/user/token", {
  ...newToken,
  proof: "same-origin",
});
export const newAccessToken = endpoint("POST", "/api/user/token", {
  ...newToken,
  body: z.object(confirmation),
  limit: "sign-in",
});

export const removeAccessToken = endpoint("DELETE", "/api/user/token", {
  access: "user",
  scope: "none",
  summary: "Remove the caller's access token: it stops working at once",
});

export const setLanguage = endpoint("PUT", "/api/user/language", {
  access: "user",
  scope: "none",
  summary: "The language of mails to the caller; the console sends the one that it shows",
  body: z.object({ language: z.enum(languageCodes) }),
  beforePasswordChange: true,
});

const ownInvitationCode = {
  access: "user",
  scope: "none",
  summary: "The caller's invitation code; created by the first call and permanent",
  data: z.string(),
} as const;
export const getInvitationCode = endpoint("GET", "/api/user/aff", {
  ...ownInvitationCode,
  proof: "same-origin",
});
export const getInvitationCodeByPost = endpoint("POST", "/api/user/aff", ownInvitationCode);

const accountDeletion = {
  access: "user",
  scope: "none",
  summary: "Delete the caller's account permanently; root's cannot be deleted",
} as const;
/** `deleteSelf` has no body, so it requires a sign-in of the last ten minutes. */
export const deleteSelf = endpoint("DELETE", "/api/user/self", accountDeletion);
export const deleteSelfByPost = endpoint("POST", "/api/user/self/delete", {
  ...accountDeletion,
  body: z.object(confirmation),
  limit: "sign-in",
});
