/**
 * GitHub Copilot: OpenAI's APIs with a token of half an hour, which GitHub issues for the stored
 * one.
 */

import type { CallFormats } from "../formats/api-format.ts";
import type { AskedReply } from "../formats/call-parts.ts";
import { isRecord, type JsonRecord, text } from "../wire/json-parts.ts";
import { buildEndpointUrls, joinUrl } from "./endpoint-urls.ts";
import {
  InvalidChannelKey,
  type ProviderAdapter,
  type ProviderContext,
  type TokenExchange,
  type UpstreamRequest,
} from "./provider.ts";
import { composeBearer } from "./standard-providers.ts";

const copilotHost = /^https:\/\/api(?:\.[a-z-]+)?\.githubcopilot\.com$/;
const exchangeBase = "https://api.github.com";
const exchangePath = "/copilot_internal/v2/token";

/** Copilot serves only editors. */
const editorHeaders = [
  "editor-version",
  "vscode/1.95.3",
  "editor-plugin-version",
  "copilot-chat/0.22.4",
  "copilot-integration-id",
  "vscode-chat",
];

/** Separates the host of the account's plan from the token. */
const separator = " ";

const tokenExchange: TokenExchange = {
  request(key, { base }): UpstreamRequest {
    // Another base URL is the operator's own server, which issues its own tokens.
    const url = joinUrl(
      copilotHost.test(base) ? exchangeBase : (URL.parse(base)?.origin ?? ""),
      exchangePath,
    );
    if (!url || key === "")
      throw new InvalidChannelKey("the key of this channel must be an access token of GitHub");
    const headers = [
      "authorization",
      `token ${key}`,
      "accept",
      "application/json",
      "user-agent",
      "tollgate",
      ...editorHeaders,
    ];
    return { url, method: "GET", headers, body: Buffer.alloc(0) };
  },
  read({ token, expires_at, endpoints }: JsonRecord, now: number) {
    if (typeof token !== "string" || token === "" || typeof expires_at !== "number")
      return undefined;
    const api = isRecord(endpoints) ? text(endpoints.api) : "";
    const secret = (copilotHost.test(api) ? api : "") + separator + token;
    return { secret, livesMs: expires_at * 1000 - now };
  },
};

const listCredentials = (secret: string): string[] => [
  ...composeBearer(secret.slice(secret.indexOf(separator) + 1)),
  ...editorHeaders,
];

/** Business plans have hosts of their own, which GitHub returns with the token. */
function finish(
  request: UpstreamRequest,
  _call: AskedReply & CallFormats,
  _model: string,
  { settings, secret }: ProviderContext,
): UpstreamRequest {
  const api = secret.slice(0, secret.indexOf(separator));
  const url =
    api !== "" && copilotHost.test(settings.base)
      ? new URL(request.url.pathname + request.url.search, api)
      : request.url;
  const hasImages = request.body.includes('"image_url"') || request.body.includes('"input_image"');
  return {
    ...request,
    url,
    headers: hasImages ? [...request.headers, "copilot-vision-request", "true"] : request.headers,
  };
}

export const copilot: ProviderAdapter = {
  endpoints: buildEndpointUrls,
  credentials: listCredentials,
  tokenExchange,
  finish,
};
