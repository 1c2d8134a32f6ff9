/** Amazon's Signature Version 4 of a request as it will be sent, by Amazon's own signer. */
import { createHash, createHmac } from "node:crypto";
import { findHeader, stripHeaders } from "./header-list.ts";
import type { UpstreamRequest } from "./provider.ts";

export interface AwsKey {
  accessKeyId: string;
  secretAccessKey: string;
  /** Required with temporary keys. */
  sessionToken?: string;
  region: string;
}

type HmacSecret = string | ArrayBuffer | ArrayBufferView;

const encodeBytes = (secret: HmacSecret): string | Uint8Array => {
  if (typeof secret === "string") return secret;
  return ArrayBuffer.isView(secret)
    ? new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength)
    : new Uint8Array(secret);
};

/** SHA-256, or HMAC with a secret. */
class Sha256 {
  readonly #make: () => ReturnType<typeof createHash | typeof createHmac>;
  #hash: ReturnType<typeof createHash | typeof createHmac>;

  constructor(secret?: HmacSecret) {
    this.#make = () =>
      secret === undefined ? createHash("sha256") : createHmac("sha256", encodeBytes(secret));
    this.#hash = this.#make();
  }

  update(chunk: Uint8Array): void {
    this.#hash.update(chunk);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    this.#hash = this.#make();
  }
}

/** Signs only the headers that identify destination and content: others may change on the way. */
export async function signAwsRequest(
  request: UpstreamRequest,
  service: string,
  { region, ...credentials }: AwsKey,
  now: number,
): Promise<UpstreamRequest> {
  const { url, method = "POST", body } = request;
  // Loaded with the first request to Amazon: an idle gateway does without it.
  const { SignatureV4 } = await import("@smithy/signature-v4");
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256 });
  const { headers } = await signer.sign(
    {
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: {
        host: url.host,
        "content-type": findHeader(request.headers, "content-type") ?? "application/json",
      },
      body,
    },
    { signingDate: new Date(now) },
  );
  const { host: _, ...proof } = headers;
  const remaining = stripHeaders(request.headers, ...Object.keys(proof));
  return { ...request, headers: [...remaining, ...Object.entries(proof).flat()] };
}
