/** Codes and links that prove that somebody reads a mailbox. Pure. */
import { createHash, randomBytes, randomInt } from "node:crypto";
import type { MailCodeRow } from "../storage/schema.ts";

export type MailPurpose = MailCodeRow["purpose"];

export const codeLifetimeMs = 10 * 60_000;
/** Of a code of six digits: whoever asks for a new one each time needs months for every tenth of a chance. */
export const codeTriesMax = 5;

const codeDigits = 6;
const tokenBytes = 32;

export const newMailCode = () => String(randomInt(10 ** codeDigits)).padStart(codeDigits, "0");
export const newLinkToken = () => randomBytes(tokenBytes).toString("base64url");

/** Bound to what it is for and to whom it was sent: it counts for nothing else. */
export const mailCodeHash = (purpose: MailPurpose, email: string, code: string) =>
  createHash("sha256")
    .update(JSON.stringify([purpose, email, code]))
    .digest("hex");

/** How addresses are compared: nobody has two mailboxes that differ in case. */
export const normalizeAddress = (email: string) => email.toLowerCase();

export const domainOf = (email: string) => email.slice(email.lastIndexOf("@") + 1).toLowerCase();

/** Providers that ignore dots before the @. */
const dotsIgnored = ["gmail.com", "googlemail.com"];

/** Of an address in its plainest form: `Mira.B+again@gmail.com` is the mailbox of `mirab@gmail.com`. */
export function mailboxHash(email: string): string {
  const domain = domainOf(email);
  const local = email.slice(0, email.lastIndexOf("@")).toLowerCase().replace(/\+.*$/, "");
  const box = dotsIgnored.includes(domain) ? `${local.replaceAll(".", "")}@gmail.com` : `${local}@${domain}`;
  return createHash("sha256").update(box).digest("hex");
}
