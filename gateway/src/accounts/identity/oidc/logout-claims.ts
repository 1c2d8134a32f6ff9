/**
 * The sign-ins that the claims of a logout token end (OpenID Connect Back-Channel Logout 1.0,
 * section 2.6). Pure.
 */
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import type { Claims } from "./claim-rules.ts";

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";
/**
 * Providers send a logout token at once; one that is older was kept, and is remembered no longer.
 */
export const logoutTokenAgeMaxS = 120;
/** `logoutClockToleranceS` is as for id tokens: how far the clocks may be apart. */
export const logoutClockToleranceS = 30;
/** `identifierMax` is that of the identifiers that a provider mints. */
const identifierMax = 255;

/** `LogoutNotice` is at least one of subject and `sid` is named. */
export interface LogoutNotice {
  tokenId: string;
  subject: string | undefined;
  sid: string | undefined;
}

const readIdentifier = (claims: Claims, name: string): string | undefined => {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return typeof value === "string" && value !== "" && value.length <= identifierMax
    ? value
    : undefined;
};

/**
 * The session at the provider that an id token names, for providers that log out single sessions.
 */
export const readSid = (claims: Claims): string | undefined => readIdentifier(claims, "sid");

/** A text is the reason of a refusal. Signature, issuer and audience have been verified before. */
export function logoutNotice(claims: Claims, nowS: number): LogoutNotice | string {
  if (Object.hasOwn(claims, "nonce")) return "it has a nonce, as an id token has";
  const { iat, events } = claims;
  if (typeof iat !== "number" || !Number.isFinite(iat)) return "the claim iat is missing";
  if (iat > nowS + logoutClockToleranceS) return "the claim iat is in the future";
  if (iat < nowS - logoutTokenAgeMaxS - logoutClockToleranceS) return "it is too old";
  const isLogout =
    isJsonRecord(events) && Object.hasOwn(events, logoutEvent) && isJsonRecord(events[logoutEvent]);
  if (!isLogout) return "the claim events names no logout";
  const tokenId = readIdentifier(claims, "jti");
  if (tokenId === undefined) return "the claim jti is missing";
  for (const name of ["sub", "sid"])
    if (Object.hasOwn(claims, name) && readIdentifier(claims, name) === undefined)
      return `the claim ${name} is no identifier`;
  const notice = {
    tokenId,
    subject: readIdentifier(claims, "sub"),
    sid: readIdentifier(claims, "sid"),
  };
  return notice.subject === undefined && notice.sid === undefined
    ? "it names neither sub nor sid"
    : notice;
}
