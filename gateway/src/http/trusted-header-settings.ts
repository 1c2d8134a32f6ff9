/**
 * The variables by which a reverse proxy may sign users in, as settings; half of them stop the
 * start. Pure.
 */
import type { AddressBlock } from "@tollgate/contract/api/cidr.ts";
import type { TrustedHeaderSettings } from "./trusted-header.ts";

/** `TrustedHeaderVariables` are those of the environment, after their schemas. */
export interface TrustedHeaderVariables {
  TRUSTED_SIGN_IN_HEADER?: string | undefined;
  TRUSTED_SIGN_IN_SECRET_HEADER?: string | undefined;
  TRUSTED_SIGN_IN_SECRET?: string | undefined;
  TRUSTED_SIGN_IN_GROUPS_HEADER?: string | undefined;
  TRUSTED_PROXIES: readonly AddressBlock[];
}

export const headerNamePattern = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
/** 24 characters or more, so that it is not guessed. */
export const headerSecretPattern = /^[\x21-\x7e]{24,256}$/;

/** `taken` is what every request has, or what means something else to the gateway. */
const taken = new Set([
  "authorization",
  "connection",
  "content-length",
  "content-type",
  "cookie",
  "forwarded",
  "host",
  "origin",
  "referer",
  "sec-fetch-site",
  "transfer-encoding",
  "user-agent",
  "x-forwarded-for",
]);

/** A block that is wider holds machines that are no proxies. */
const buildShortestMask = (bytes: readonly number[]) => (bytes.length === 4 ? 16 : 48);

/** Undefined: no proxy signs users in. */
export function findTrustedHeaderSettings(
  variables: TrustedHeaderVariables,
): TrustedHeaderSettings | { problem: string } | undefined {
  const name = variables.TRUSTED_SIGN_IN_HEADER;
  const secretHeader = variables.TRUSTED_SIGN_IN_SECRET_HEADER;
  const secret = variables.TRUSTED_SIGN_IN_SECRET;
  const groups = variables.TRUSTED_SIGN_IN_GROUPS_HEADER;
  const proxies = variables.TRUSTED_PROXIES;
  if ([name, secretHeader, secret, groups].every((one) => one === undefined)) return undefined;
  if (name === undefined || secretHeader === undefined || secret === undefined)
    return {
      problem:
        "sign-in by a reverse proxy needs TRUSTED_SIGN_IN_HEADER, TRUSTED_SIGN_IN_SECRET_HEADER and TRUSTED_SIGN_IN_SECRET",
    };
  const headers = [name, secretHeader, ...(groups === undefined ? [] : [groups])].map((one) =>
    one.toLowerCase(),
  );
  if (new Set(headers).size < headers.length)
    return { problem: "the TRUSTED_SIGN_IN headers must differ" };
  const odd = headers.find((header) => taken.has(header));
  if (odd !== undefined)
    return { problem: `${odd} cannot be a TRUSTED_SIGN_IN header: it has a meaning of its own` };
  if (proxies.length === 0) return { problem: "TRUSTED_SIGN_IN_HEADER needs TRUSTED_PROXIES" };
  const wide = proxies.find(({ bytes, bits }) => bits < buildShortestMask(bytes));
  if (wide)
    return {
      problem: `TRUSTED_SIGN_IN_HEADER needs narrow TRUSTED_PROXIES: at least /${buildShortestMask(wide.bytes)} in place of /${wide.bits}`,
    };
  return {
    nameHeader: name.toLowerCase(),
    secretHeader: secretHeader.toLowerCase(),
    secret,
    groupsHeader: groups?.toLowerCase(),
    proxies,
  };
}
