/** The identity of the user, by the claims of an id token. Pure. */
import { normalizeAddress } from "../../../notices/mail/mail-code-rules.ts";
import type { Claims } from "../oidc/claim-rules.ts";
import { cleanName, type ExternalIdentity } from "./external-rules.ts";

const emailMax = 254;
const simpleEmail = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u;

const readText = (claims: Claims, name: string): string => {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return typeof value === "string" ? value : "";
};

/** OpenID Connect Core, section 2: at most 255 ASCII characters. */
export const isSubject = (sub: string): boolean => /^[\x20-\x7e]{1,255}$/.test(sub);

/**
 * Undefined without a usable `sub`. The address counts only when
 * the provider verified it.
 */
export function readOidcIdentity(claims: Claims): ExternalIdentity | undefined {
  const id = readText(claims, "sub");
  if (!isSubject(id)) return undefined;
  const email = readText(claims, "email");
  const isVerified =
    claims.email_verified === true && email.length <= emailMax && simpleEmail.test(email);
  // Entra sends an address as the preferred name; its part before the @ is what the user is called.
  const login = cleanName(readText(claims, "preferred_username") || email).split("@")[0] ?? "";
  const displayName = cleanName(readText(claims, "name"));
  return {
    id,
    name: login || displayName,
    displayName,
    email: isVerified ? normalizeAddress(email) : "",
  };
}
