/** `/.well-known/security.txt`: whom to tell of a weakness of this site (RFC 9116). */
import { composeSiteAddress } from "../http/base-path.ts";

export const securityTextPath = "/.well-known/security.txt";

/** `validDays` is below the year that RFC 9116 recommends, counted from each answer. */
const validDays = 300;
const dayMs = 86_400_000;

/**
 * `writeSecurityText` has the operator's contact, `mailto:` or `https:`; `now` is in milliseconds.
 */
export function writeSecurityText(
  contact: string,
  publicUrl: URL | undefined,
  now: number,
): string {
  const expires = new Date(Math.floor(now / dayMs) * dayMs + validDays * dayMs).toISOString();
  const address = composeSiteAddress(publicUrl);
  const canonical = address === undefined ? [] : [`Canonical: ${address}${securityTextPath}`];
  return [`Contact: ${contact}`, `Expires: ${expires}`, ...canonical].join("\n");
}
