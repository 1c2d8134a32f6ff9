/**
 * Tencent's Hunyuan: one URL for everything, the action in a header, and a signature instead of a
 * key.
 */
import type { ApiEndpoint } from "../formats/api-format.ts";
import { joinUrl } from "./endpoint-urls.ts";
import { InvalidChannelKey, type ProviderAdapter } from "./provider.ts";
import { readTencentAuthorization } from "./tencent-signature.ts";

const service = "hunyuan";
const version = "2023-09-01";
const actions: Readonly<Partial<Record<ApiEndpoint, string>>> = {
  tencent_chat: "ChatCompletions",
  tencent_embeddings: "GetEmbedding",
};

/** `AppId|SecretId|SecretKey`; the first part is not needed. */
function secrets(key: string): { secretId: string; secretKey: string } {
  const [, secretId, secretKey, ...more] = key.split("|");
  if (secretId && secretKey && more.length === 0) return { secretId, secretKey };
  throw new InvalidChannelKey("the key of this channel must be AppId|SecretId|SecretKey");
}

function readHeader(headers: readonly string[], wanted: string): string {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === wanted);
  return headers[at + 1] ?? "";
}

export const tencent: ProviderAdapter = {
  endpoints({ base }) {
    const url = joinUrl(base, "/");
    return url ? { tencent_chat: url, tencent_embeddings: url } : {};
  },
  credentials: () => [],
  finish(request, call, _model, { secret, now }) {
    const timestamp = Math.floor(now / 1000);
    const contentType = readHeader(request.headers, "content-type");
    const { body, url } = request;
    const signed = { ...secrets(secret), service, host: url.host, contentType, body, timestamp };
    const headers = [
      ...request.headers,
      "authorization",
      readTencentAuthorization(signed),
      "x-tc-action",
      actions[call.upstream.endpoint] ?? "",
      "x-tc-version",
      version,
      "x-tc-timestamp",
      String(timestamp),
    ];
    return { ...request, headers };
  },
};
