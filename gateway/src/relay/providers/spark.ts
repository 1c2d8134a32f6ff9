/**
 * iFlytek Spark with its older three-part key. Its HTTP API accepts two of the parts as a password,
 * so the signed WebSocket that the type once used is not needed.
 */
import { openAiUrls } from "./endpoint-urls.ts";
import { InvalidChannelKey, type ProviderAdapter } from "./provider.ts";
import { composeBearer } from "./standard-providers.ts";

const defaultBase = "https://spark-api-open.xf-yun.com";
const served = new Set(["chat_completions"] as const);

/** `APPID|APISecret|APIKey`. */
function listCredentials(key: string): string[] {
  const [, secret, apiKey] = key.split("|");
  if (!secret || !apiKey)
    throw new InvalidChannelKey("the key of this channel must be APPID|APISecret|APIKey");
  return composeBearer(`${apiKey}:${secret}`);
}

export const spark: ProviderAdapter = {
  endpoints: ({ type, base }) => openAiUrls(type.id, served, base || defaultBase, "/v1"),
  credentials: listCredentials,
};
