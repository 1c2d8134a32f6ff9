/** What belongs to one's own account: access token, invitation code, and proof that it is still the same person. */
import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { presentedPassword } from "./users.ts";

export const totpCode = z.string().check(z.regex(/^[0-9]{6}$/, "TOTP code must be 6 digits"));

/** One of them is asked for (`reauth_required`) when the sign-in is older than ten minutes. */
export const confirmation = {
  current_password: z.optional(presentedPassword),
  totp_code: z.optional(totpCode),
};

const newToken = {
  access: "user",
  summary: "A new access token for this API in place of the one before; shown this once",
  data: z.string(),
} as const;
export const newAccessTokenByGet = endpoint("GET", "/api/user/token", { ...newToken, proof: "same-origin" });
export const newAccessToken = endpoint("POST", "/api/user/token", {
  ...newToken,
  body: z.object(confirmation),
  limit: "sign-in",
});

const ownInvitationCode = {
  access: "user",
  summary: "One's own invitation code; made at the first call and the same ever after",
  data: z.string(),
} as const;
export const getInvitationCode = endpoint("GET", "/api/user/aff", { ...ownInvitationCode, proof: "same-origin" });
export const getInvitationCodeByPost = endpoint("POST", "/api/user/aff", ownInvitationCode);

const accountDeletion = {
  access: "user",
  summary: "Delete one's own account for good; root's cannot be",
} as const;
/** Without a body it relies on a sign-in of the last ten minutes. */
export const deleteSelf = endpoint("DELETE", "/api/user/self", accountDeletion);
export const deleteSelfByPost = endpoint("POST", "/api/user/self/delete", {
  ...accountDeletion,
  body: z.object(confirmation),
  limit: "sign-in",
});
