/**
 * The id token that opened a session, sealed for the session's row. Its provider alone ever gets it
 * back.
 */
import type { Sealer } from "../../../secrets/seal.ts";

const purpose = "session-id-token";
const composeContext = (sessionHash: string) => `sessions/id_token_sealed/${sessionHash}` as const;
/**
 * `idTokenMax` returns in an address, which servers and proxies take up to 8 KB of. A longer one is
 * not kept: the provider then asks the user.
 */
const idTokenMax = 6_000;

/** Null where nothing is kept. */
export const sealIdToken = (
  seal: Sealer,
  sessionHash: string,
  idToken: string | undefined,
): string | null =>
  idToken === undefined || idToken.length > idTokenMax
    ? null
    : seal.seal(purpose, composeContext(sessionHash), idToken);

export const openIdToken = (
  seal: Sealer,
  sessionHash: string,
  sealed: string | null,
): string | undefined =>
  sealed === null ? undefined : seal.open(purpose, composeContext(sessionHash), sealed);
