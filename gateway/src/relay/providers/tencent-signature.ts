/** Tencent Cloud's request signature, TC3-HMAC-SHA256 (API 3.0, signature v3). */
import { createHash, createHmac } from "node:crypto";

export interface TencentSignatureInput {
  secretId: string;
  secretKey: string;
  /** The product, as in `hunyuan.tencentcloudapi.com`. */
  service: string;
  host: string;
  contentType: string;
  body: Buffer | string;
  /** Seconds since the epoch; sent in `X-TC-Timestamp`. */
  timestamp: number;
}

const algorithm = "TC3-HMAC-SHA256";
const signedHeaders = "content-type;host";

/** The `Authorization` header of a POST to the root of a host. */
export function readTencentAuthorization(input: TencentSignatureInput): string {
  const { secretId, secretKey, service, host, contentType, body, timestamp } = input;
  const date = new Date(timestamp * 1000).toISOString().slice(0, 10);
  const scope = `${date}/${service}/tc3_request`;
  const canonical = `POST\n/\n\ncontent-type:${contentType}\nhost:${host}\n\n${signedHeaders}\n${hash(body)}`;
  const stated = `${algorithm}\n${timestamp}\n${scope}\n${hash(canonical)}`;
  const key = computeHmac(
    computeHmac(computeHmac(`TC3${secretKey}`, date), service),
    "tc3_request",
  );
  const signature = computeHmac(key, stated).toString("hex");
  return `${algorithm} Credential=${secretId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
}

const hash = (text: Buffer | string): string => createHash("sha256").update(text).digest("hex");
const computeHmac = (key: Buffer | string, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest();
