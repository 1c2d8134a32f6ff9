/** The claim `at_hash`, by which an id token vouches for the access token beside it. Pure. */
import { createHash } from "node:crypto";

/**
 * `hashByAlgorithm` goes by the last three digits of the id token's algorithm; EdDSA hashes with
 * SHA-512.
 */
const hashByAlgorithm: Readonly<Record<string, string>> = {
  "256": "sha256",
  "384": "sha384",
  "512": "sha512",
};

/**
 * OpenID Connect Core, section 3.1.3.6: the left half of the hash of the ASCII access token, in
 * base64url. Undefined for an algorithm whose hash is unknown.
 */
export function hashAccessToken(accessToken: string, algorithm: string): string | undefined {
  const name = /^Ed(?:DSA|25519)$/.test(algorithm)
    ? "sha512"
    : hashByAlgorithm[algorithm.slice(-3)];
  if (name === undefined) return undefined;
  const digest = createHash(name).update(accessToken, "ascii").digest();
  return digest.subarray(0, digest.length / 2).toString("base64url");
}
