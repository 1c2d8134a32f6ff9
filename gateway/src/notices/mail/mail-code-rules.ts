/** Codes and links that prove that a user reads a mailbox. Pure. */
import { createHash, randomBytes, randomInt } from "node:crypto";
import type { MailCodeRow } from "../../storage/tables/account-tables.ts";

export type MailPurpose = MailCodeRow["purpose"];

export const codeLifetimeMs = 10 * 60_000;
/**
 * `codeAttemptsMax` is for six digits: an attacker who requests a new code each time needs months
 * for a chance of one in ten.
 */
export const codeAttemptsMax = 5;

const codeDigits = 6;
const tokenBytes = 32;

export const makeMailCode = () => String(randomInt(10 ** codeDigits)).padStart(codeDigits, "0");
export const makeLinkToken = () => randomBytes(tokenBytes).toString("base64url");

/** Bound to purpose and recipient: a code is worth nothing elsewhere. */
export const mailCodeHash = (purpose: MailPurpose, email: string, code: string) =>
  createHash("sha256")
    .update(JSON.stringify([purpose, email, code]))
    .digest("hex");

/** The form in which addresses are compared. Mailboxes never differ in case alone. */
export const normalizeAddress = (email: string) => email.toLowerCase();

export const readDomain = (email: string) => email.slice(email.lastIndexOf("@") + 1).toLowerCase();

/** Providers that ignore dots before the @. */
const dotsIgnored = ["gmail.com", "googlemail.com"];

/**
 * Hashes the canonical form of an address: `Mira.B+again@gmail.com` and `mirab@gmail.com` are one
 * mailbox.
 */
export function hashMailbox(email: string): string {
  const domain = readDomain(email);
  const local = email.slice(0, email.lastIndexOf("@")).toLowerCase().replace(/\+.*$/, "");
  const box = dotsIgnored.includes(domain)
    ? `${local.replaceAll(".", "")}@gmail.com`
    : `${local}@${domain}`;
  return createHash("sha256").update(box).digest("hex");
}
