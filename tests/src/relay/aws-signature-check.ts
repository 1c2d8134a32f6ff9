/**
 * Amazon's side of a signature: version 4 computed from the received request, by Amazon's
 * description of it
 * (docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html), without the
 * gateway's library.
 */
import { createHash, createHmac } from "node:crypto";
import type { CannedRequest } from "./canned-provider.ts";

const hash = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: Buffer | string, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest();
/** Everything but letters, digits and four signs. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The signature that a request should have, and the one that it has. */
export function compareSignatures(
  { method, url, headers, body }: Omit<CannedRequest, "body"> & { body: string | Buffer },
  secret: string,
): { right: string; said: string } {
  const [, scope = "", signed = "", said = ""] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? "",
    ) ?? [];
  const { pathname, searchParams } = new URL(url, "http://host");
  // What stands encoded in the address is encoded once more, segment by segment.
  const path = pathname.split("/").map(encoded).join("/");
  const query = [...searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted();
  const named = signed.split(";").map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, path, query.join("&"), named.join(""), signed, hash(body)].join("\n");
  const stated = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hash(canonical)].join("\n");
  const key = scope
    .split("/")
    .reduce((before: Buffer | string, part) => hmac(before, part), `AWS4${secret}`);
  return { right: hmac(key, stated).toString("hex"), said };
}
