/**
 * The public keys that passkeys may have: ES256, RS256 and EdDSA, known by the key itself and never
 * by what the client says.
 */
import { createPublicKey, type KeyObject, verify } from "node:crypto";

/** COSE algorithm identifiers (RFC 9053, RFC 8812) in the order of preference. */
export const coseAlgorithms = { EdDSA: -8, ES256: -7, RS256: -257 } as const;

/** Shorter ones are weak; longer ones cost time and are made by no device. */
const rsaBits = { min: 2_048, max: 4_096 };
/** A larger exponent makes each check slow. */
const rsaExponentMax = 65_537n;

function isAccepted({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  if (asymmetricKeyType === "ed25519") return true;
  if (asymmetricKeyType === "ec") return asymmetricKeyDetails?.namedCurve === "prime256v1";
  if (asymmetricKeyType !== "rsa") return false;
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {};
  return (
    modulusLength >= rsaBits.min &&
    modulusLength <= rsaBits.max &&
    publicExponent >= 3n &&
    publicExponent <= rsaExponentMax
  );
}

/**
 * `readPasskeyKey` reads SubjectPublicKeyInfo in DER; undefined for anything but an accepted key.
 */
export function readPasskeyKey(spki: Buffer): KeyObject | undefined {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: spki, format: "der", type: "spki" });
  } catch {
    return undefined;
  }
  return isAccepted(key) ? key : undefined;
}

/** `isSignedBy` says whether `signature` is this key's over `data`. */
export function isSignedBy(key: KeyObject, data: Buffer, signature: Buffer): boolean {
  try {
    return verify(key.asymmetricKeyType === "ed25519" ? null : "sha256", data, key, signature);
  } catch {
    return false;
  }
}
