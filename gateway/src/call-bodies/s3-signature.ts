/**
 * Amazon's Signature Version 4 of a request to S3 without a query, in headers
 * (docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html). The body is signed too.
 * Pure.
 */
import { createHash, createHmac } from "node:crypto";

export interface S3Request {
  method: "GET" | "PUT" | "DELETE";
  /** Its path has only characters that are written as they are. */
  url: URL;
  /** Signed besides those that every request has; names in lower case. */
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
}

export interface S3Key {
  region: string;
  accessKey: string;
  secretKey: string;
}

const algorithm = "AWS4-HMAC-SHA256";
const hashSha256 = (text: string | Buffer): string =>
  createHash("sha256").update(text).digest("hex");
const computeHmac = (key: string | Buffer, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest();

/**
 * The headers of the request, `authorization` among them and `host` not. `now`: milliseconds since
 * the epoch.
 */
export function signS3Headers({ method, url, headers, body }: S3Request, key: S3Key, now: number) {
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, "");
  const day = stamp.slice(0, 8);
  const contentHash = hashSha256(body ?? "");
  const sent = { ...headers, "x-amz-content-sha256": contentHash, "x-amz-date": stamp };
  const signed = Object.entries({ ...sent, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const lines = signed.map(([name, value]) => `${name}:${value.trim()}\n`).join("");
  const canonical = [method, url.pathname, "", lines, names, contentHash].join("\n");
  const scope = `${day}/${key.region}/s3/aws4_request`;
  const signingKey = [key.region, "s3", "aws4_request"].reduce<Buffer>(
    computeHmac,
    computeHmac(`AWS4${key.secretKey}`, day),
  );
  const signature = computeHmac(
    signingKey,
    [algorithm, stamp, scope, hashSha256(canonical)].join("\n"),
  ).toString("hex");
  const authorization = `${algorithm} Credential=${key.accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...sent, authorization };
}
