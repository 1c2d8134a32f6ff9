/** Standard Webhooks 1.0.0 (standardwebhooks.com): how a receiver knows that a notice is ours. Pure, except for new secrets. */
import { createHmac, randomBytes } from "node:crypto";

const secretPrefix = "whsec_";
/** The standard allows 24 to 64. */
const secretBytes = 32;

export const newSigningSecret = (): string => secretPrefix + randomBytes(secretBytes).toString("base64");

/** `seconds` is the time of this try, `id` stays over all tries. */
export function webhookHeaders(
  secrets: readonly string[],
  { id, seconds, body }: { id: string; seconds: number; body: string },
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": signatures.join(" ") };
}
