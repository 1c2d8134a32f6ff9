/** Sealed contents of calls in a bucket of S3, or of a server that speaks its protocol. */
import { setTimeout as wait } from "node:timers/promises";
import { readHostAndPort } from "../egress/address-policy.ts";
import { signForAmazon } from "../egress/amazon-signature.ts";
import { createEgress } from "../egress/egress.ts";
import { requestBytes } from "../egress/request-text.ts";
import type { BodyObjects } from "./body-objects.ts";
import type { S3Settings } from "./body-settings.ts";

/** Several times what is kept of one call: an object that is larger is not one of ours. */
const objectBytesMax = 24 * 1024 * 1024;
const timeoutMs = 15_000;
const triesMax = 3;
const firstBackoffMs = 500;
const retriedStatuses = new Set([408, 429, 500, 502, 503, 504]);
/**
 * `absentCode` is in a reply of 404: the object is not there. Others, such as NoSuchBucket, say
 * that nothing can be kept or removed.
 */
const absentCode = "<Code>NoSuchKey</Code>";
/** `reasonLengthMax` is that of what the server says about a refusal. */
const reasonLengthMax = 200;

type S3Method = "GET" | "PUT" | "DELETE";

export function buildS3Bodies({ url, region, accessKey, secretKey }: S3Settings): BodyObjects {
  // The environment names the bucket, so it may be at a private address; no other address is
  // reached from here.
  const egress = createEgress(new Set([readHostAndPort(new URL(url))]), {
    idleTimeoutMs: timeoutMs,
    connectTimeoutMs: timeoutMs,
  });

  const key = { region, accessKeyId: accessKey, secretAccessKey: secretKey };

  async function attempt(method: S3Method, name: string, body?: Buffer) {
    const address = new URL(`${url}/${name}`);
    const unsigned = { method, url: address, headers: {}, ...(body && { body }) };
    const headers = await signForAmazon("s3", unsigned, key, Date.now());
    const request = {
      method,
      url: address.href,
      headers,
      body: body ?? null,
      replyBytesMax: objectBytesMax,
    };
    return requestBytes(egress, request, AbortSignal.timeout(timeoutMs));
  }

  /**
   * A refusal that lasts, and the last of several that may not, are errors. That the object is not
   * there is an answer.
   */
  async function ask(method: S3Method, name: string, body?: Buffer): Promise<Buffer | undefined> {
    for (let tries = 1; ; tries += 1) {
      const isLast = tries === triesMax;
      const reply = await attempt(method, name, body).catch((error: unknown) => {
        if (isLast) throw error;
        return undefined;
      });
      if (reply && reply.status >= 200 && reply.status < 300) return reply.bytes;
      if (method !== "PUT" && reply?.status === 404 && reply.bytes.includes(absentCode))
        return undefined;
      if (reply && (isLast || !retriedStatuses.has(reply.status))) {
        const reason = reply.bytes.toString("utf8").slice(0, reasonLengthMax);
        throw new Error(
          `the bucket of CALL_BODIES answered ${method} with ${reply.status}: ${reason}`,
        );
      }
      await wait(firstBackoffMs * 2 ** (tries - 1));
    }
  }

  return {
    async put(name, bytes) {
      await ask("PUT", name, bytes);
    },
    get: (name) => ask("GET", name),
    async remove(name) {
      await ask("DELETE", name);
    },
    close: egress.close,
  };
}
