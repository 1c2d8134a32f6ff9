/** Amazon's Signature Version 4 of a request as it will be sent, by Amazon's own signer. */
import { createHash, createHmac } from "node:crypto";

export interface AmazonKey {
  accessKeyId: string;
  secretAccessKey: string;
  /** Required with temporary keys. */
  sessionToken?: string;
  region: string;
}

export interface SignableRequest {
  method: string;
  url: URL;
  /** What is signed besides `host`, date and content; names in lower case. */
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

type AmazonService = "bedrock" | "s3";

/** S3 signs a path as it is written, every other service escapes it once more. */
const escapesPath: Readonly<Record<AmazonService, boolean>> = { bedrock: true, s3: false };

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

/**
 * `signForAmazon` gives the headers to send: those of the request and the proof (`authorization`,
 * date, hash of the body), without `host`. `now`: milliseconds since the epoch.
 */
export async function signForAmazon(
  service: AmazonService,
  { method, url, headers, body }: SignableRequest,
  { region, ...credentials }: AmazonKey,
  now: number,
): Promise<Record<string, string>> {
  // Loaded with the first request to Amazon: an idle gateway does without it.
  const { SignatureV4 } = await import("@smithy/signature-v4");
  const signer = new SignatureV4({
    service,
    region,
    credentials,
    sha256: Sha256,
    uriEscapePath: escapesPath[service],
  });
  const signed = await signer.sign(
    {
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { host: url.host, ...headers },
      body,
    },
    { signingDate: new Date(now) },
  );
  const { host: _, ...sent } = signed.headers;
  return sent;
}
