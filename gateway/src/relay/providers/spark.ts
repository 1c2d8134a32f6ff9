/**
 * iFlytek Spark with the three parts of an older key. Its HTTP interface takes two of them in place of a password, which
 * spares the signed WebSocket that the type once meant.
 */
import { openAiUrls } from "./entry-urls.ts";
import { LoginRefused, type Provider } from "./provider.ts";
import { bearer } from "./usual.ts";

const usualBase = "https://spark-api-open.xf-yun.com";
const served = new Set(["chat_completions"] as const);

/** `APPID|APISecret|APIKey`. */
function credentials(key: string): string[] {
  const [, secret, apiKey] = key.split("|");
  if (!secret || !apiKey) throw new LoginRefused("the key of this channel must be APPID|APISecret|APIKey");
  return bearer(`${apiKey}:${secret}`);
}

export const spark: Provider = {
  entries: ({ type, base }) => openAiUrls(type.id, served, base || usualBase, "/v1"),
  credentials,
};
