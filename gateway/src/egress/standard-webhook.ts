/**
 * Standard Webhooks 1.0.0 (standardwebhooks.com): how a receiver knows that a notice is ours. Pure,
 * except for new secrets.
 */
import { createHmac, randomBytes } from "node:crypto";

const secretPrefix = "whsec_";
/** The bounds of a secret that the standard allows. */
const [secretBytesMin, secretBytesMax] = [24, 64];
const secretBytes = 32;

export const makeSigningSecret = (): string =>
  secretPrefix + randomBytes(secretBytes).toString("base64");

export function isSigningSecret(text: string): boolean {
  const bytes = text.startsWith(secretPrefix)
    ? Buffer.from(text.slice(secretPrefix.length), "base64")
    : undefined;
  return bytes !== undefined && bytes.length >= secretBytesMin && bytes.length <= secretBytesMax;
}

/** The standard joins the parts by dots, so that none may stand in the first ones. */
const idPattern = /^[\w-]{1,200}$/;

/** `seconds` is the time of this try, `id` stays over all tries. */
export function buildWebhookHeaders(
  secrets: readonly string[],
  { id, seconds, body }: { id: string; seconds: number; body: string },
): Record<string, string> {
  if (!idPattern.test(id) || !Number.isSafeInteger(seconds))
    throw new TypeError(`a webhook cannot be signed as ${id}`);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatures.join(" "),
  };
}
