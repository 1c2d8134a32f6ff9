/**
 * The user whom a reverse proxy has signed in and names in a header. Every client can send a
 * header: it counts only on a connection from a trusted proxy, together with the secret that only
 * the proxy knows. Pure, but for what `onRefused` counts.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { type AddressBlock, blockContains, parseAddress } from "@tollgate/contract/api/cidr.ts";
import { isRepeatedHeader } from "./request-head.ts";

export interface TrustedHeaderSettings {
  /** `nameHeader` is in lower case, like the two others. */
  nameHeader: string;
  secretHeader: string;
  secret: string;
  /** Names of groups, separated by commas or bars; undefined: the proxy sends none. */
  groupsHeader: string | undefined;
  proxies: readonly AddressBlock[];
}

export interface ProxyUser {
  name: string;
  groups: readonly string[];
}

/** `HeaderRefusal` says why a header that names a user does not count. */
export type HeaderRefusal = "peer" | "secret" | "name" | "groups";

export interface TrustedHeader {
  /**
   * The user whom the proxy names; undefined where the header is absent or does not count. `peer`
   * is the socket's, `rawHeaders` are Node's.
   */
  read(headers: Headers, peer: string, rawHeaders: readonly string[]): ProxyUser | undefined;
}

/**
 * `namePattern` is what RFC 9110 lets every server read alike. Two headers of one name arrive
 * joined by a comma, so a name with a comma may be the client's in front of the proxy's.
 */
const namePattern = /^[\x21-\x2b\x2d-\x7e](?:[\x20-\x2b\x2d-\x7e]{0,253}[\x21-\x2b\x2d-\x7e])?$/;
/** More than any directory gives a person; what exceeds it is not read. */
const groupsMax = 500;

const digest = (text: string) => createHash("sha256").update(text).digest();

export function createTrustedHeader(
  settings: TrustedHeaderSettings,
  onRefused: (refusal: HeaderRefusal, peer: string) => void,
): TrustedHeader {
  const { nameHeader, secretHeader, groupsHeader, proxies } = settings;
  const expected = digest(settings.secret);
  const isProxy = (peer: string): boolean => {
    const bytes = parseAddress(peer);
    return bytes !== undefined && proxies.some((block) => blockContains(block, bytes));
  };
  return {
    read(headers, peer, rawHeaders) {
      const name = headers.get(nameHeader);
      if (name === null || name === "") return;
      const refusal = !isProxy(peer)
        ? "peer"
        : // Of equal length, so that the comparison takes the same time for every guess.
          !timingSafeEqual(digest(headers.get(secretHeader) ?? ""), expected)
          ? "secret"
          : !namePattern.test(name)
            ? "name"
            : // Groups are joined by commas themselves, so that only the count tells the client's from the proxy's.
              groupsHeader !== undefined && isRepeatedHeader(rawHeaders, groupsHeader)
              ? "groups"
              : undefined;
      if (refusal !== undefined) {
        onRefused(refusal, peer);
        return;
      }
      return {
        name,
        groups: groupsHeader === undefined ? [] : parseGroups(headers.get(groupsHeader) ?? ""),
      };
    },
  };
}

/** Authelia and oauth2-proxy separate groups by commas, authentik by bars. */
const parseGroups = (text: string): string[] =>
  text
    .split(/[,|]/)
    .map((group) => group.trim())
    .filter(Boolean)
    .slice(0, groupsMax);
