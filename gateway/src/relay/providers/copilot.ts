/** GitHub Copilot: OpenAI's interfaces for a token of half an hour, which GitHub gives for the stored one. */
import { isRecord, type Json, text } from "../json-parts.ts";
import type { Call } from "../shapes/shape.ts";
import { entryUrls, joined } from "./entry-urls.ts";
import { type Login, LoginRefused, type Provider, type Sender, type UpstreamRequest } from "./provider.ts";
import { bearer } from "./usual.ts";

const copilotHost = /^https:\/\/api(?:\.[a-z-]+)?\.githubcopilot\.com$/;
const exchangeBase = "https://api.github.com";
const exchangePath = "/copilot_internal/v2/token";

/** Copilot answers editors alone. */
const editor = [
  "editor-version",
  "vscode/1.95.3",
  "editor-plugin-version",
  "copilot-chat/0.22.4",
  "copilot-integration-id",
  "vscode-chat",
];

/** Between the address that the plan of the account has, and the token. */
const separator = " ";

const login: Login = {
  request(key, { base }): UpstreamRequest {
    // Whoever gives another address has a server of his own there, which knows its own tokens, too.
    const url = joined(copilotHost.test(base) ? exchangeBase : (URL.parse(base)?.origin ?? ""), exchangePath);
    if (!url || key === "") throw new LoginRefused("the key of this channel must be an access token of GitHub");
    const headers = [
      "authorization",
      `token ${key}`,
      "accept",
      "application/json",
      "user-agent",
      "tollgate",
      ...editor,
    ];
    return { url, method: "GET", headers, body: Buffer.alloc(0) };
  },
  read({ token, expires_at, endpoints }: Json, now: number) {
    if (typeof token !== "string" || token === "" || typeof expires_at !== "number") return undefined;
    const api = isRecord(endpoints) ? text(endpoints.api) : "";
    const secret = (copilotHost.test(api) ? api : "") + separator + token;
    return { secret, livesMs: expires_at * 1000 - now };
  },
};

const credentials = (secret: string): string[] => [...bearer(secret.slice(secret.indexOf(separator) + 1)), ...editor];

/** Plans for companies have hosts of their own, which GitHub names with the token. */
function finish(request: UpstreamRequest, _call: Call, _model: string, { settings, secret }: Sender): UpstreamRequest {
  const api = secret.slice(0, secret.indexOf(separator));
  const url =
    api !== "" && copilotHost.test(settings.base)
      ? new URL(request.url.pathname + request.url.search, api)
      : request.url;
  const sees = request.body.includes('"image_url"') || request.body.includes('"input_image"');
  return { ...request, url, headers: sees ? [...request.headers, "copilot-vision-request", "true"] : request.headers };
}

export const copilot: Provider = { entries: entryUrls, credentials, login, finish };
