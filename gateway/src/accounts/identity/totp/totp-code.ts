/**
 * Time-based one-time passwords (RFC 6238 over RFC 4226): SHA-1, 30 seconds, 6 digits, as every
 * authenticator supports them.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

const stepMs = 30_000;
const digits = 6;
/** Clocks differ: the previous and the next code are valid too. Each code still works only once. */
const drift = [0, -1, 1] as const;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export const computeStep = (now: number) => Math.floor(now / stepMs);

export function computeTotpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** The step of the code, or undefined. Compares every candidate completely, in constant time. */
export function findMatchingStep(
  secret: Uint8Array,
  code: string,
  now: number,
): number | undefined {
  const given = Buffer.from(code);
  if (given.length !== digits) return undefined;
  const steps = drift
    .map((difference) => computeStep(now) + difference)
    .filter((step) => step >= 0);
  return steps.filter((step) =>
    timingSafeEqual(Buffer.from(computeTotpCode(secret, step)), given),
  )[0];
}

export function encodeBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => alphabet[Number.parseInt(five.padEnd(5, "0"), 2)])
    .join("");
}

/** The text of the QR code; the label is what the authenticator lists. */
export function composeOtpauthUri(issuer: string, account: string, secret: Uint8Array): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const parameters = `secret=${encodeBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
  return `otpauth://totp/${label}?${parameters}&algorithm=SHA1&digits=${digits}&period=${stepMs / 1000}`;
}
