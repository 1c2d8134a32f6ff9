/**
 * Challenges for proof of work and the check of their answers. Nothing is stored for a challenge:
 * it says itself what it is for and until when, under a signature. Pure.
 */
import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** `WorkPurpose` is what an answer is good for: an answer for one is worth nothing for another. */
export type WorkPurpose = "sign-in" | "register" | "verify" | "reset";

export interface WorkSubject {
  purpose: WorkPurpose;
  /** The caller's network: answers are not traded. */
  source: string;
}

/** Longer than a phone searches, and shorter than stocks of answers would be worth. */
export const workLifetimeMs = 5 * 60_000;

export const workKey = (masterKey: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", masterKey, "", "tollgate/v1/proof-of-work", 32));

/** End of life, zero bits, random part, signature, and the number that was searched for. */
const answerPattern =
  /^([0-9a-z]{1,11})\.([0-9]{1,2})\.([\w-]{22})\.([\w-]{43})\.(?:0|[1-9][0-9]{0,15})$/;

const readSignature = (
  key: Uint8Array,
  { purpose, source }: WorkSubject,
  stated: readonly string[],
): string =>
  createHmac("sha256", key)
    .update(JSON.stringify([purpose, source, ...stated]))
    .digest("base64url");

/** `nonce` has 16 random bytes in base64url. */
export function workChallenge(
  key: Uint8Array,
  subject: WorkSubject,
  { bits, nonce, now }: { bits: number; nonce: string; now: number },
): string {
  const stated = [(now + workLifetimeMs).toString(36), String(bits), nonce];
  return [...stated, readSignature(key, subject, stated)].join(".");
}

/**
 * The random part of an answer that is right, so that it is accepted once; undefined for any other.
 */
export function findCheckedWork(
  key: Uint8Array,
  subject: WorkSubject,
  answer: string,
  { bits, now }: { bits: number; now: number },
): string | undefined {
  const [, end = "", stated = "", nonce = "", signature = ""] = answerPattern.exec(answer) ?? [];
  const expected = readSignature(key, subject, [end, stated, nonce]);
  if (
    signature.length !== expected.length ||
    !timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
  )
    return;
  // The operator may ask for more by now.
  if (Number.parseInt(end, 36) <= now || Number(stated) < bits) return;
  return computeLeadingZeroBits(createHash("sha256").update(answer).digest()) >= Number(stated)
    ? nonce
    : undefined;
}

export function computeLeadingZeroBits(hash: Uint8Array): number {
  const first = hash.findIndex((byte) => byte !== 0);
  return first < 0 ? hash.length * 8 : first * 8 + Math.clz32(hash[first] ?? 0) - 24;
}
