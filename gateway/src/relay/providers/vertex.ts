/** Google's Vertex AI: Gemini and Claude by their own APIs, below a project and a region. */
import { sign } from "node:crypto";
import type { CallFormats } from "../formats/api-format.ts";
import type { AskedReply } from "../formats/call-parts.ts";
import { isRecord, type JsonRecord, parseObject, text } from "../wire/json-parts.ts";
import { type EndpointUrls, joinUrl } from "./endpoint-urls.ts";
import { stripHeaders } from "./header-list.ts";
import { isClaude, isTokenCount, listHostedBetas, stripMembers } from "./hosted-claude.ts";
import {
  InvalidChannelKey,
  type ProviderAdapter,
  type ProviderSettings,
  type TokenExchange,
  type UpstreamRequest,
} from "./provider.ts";
import { composeBearer } from "./standard-providers.ts";

/** The version of Anthropic's API, which Vertex expects in the body. */
const claudeVersion = "vertex-2023-10-16";

/** Part of a host name, so nothing else is allowed. */
const regionName = /^[a-z0-9-]{1,40}$/;

function readHost(region: string): string {
  return region === "global"
    ? "https://aiplatform.googleapis.com"
    : `https://${region}-aiplatform.googleapis.com`;
}

function buildEntries({ base, config }: ProviderSettings, model: string): EndpointUrls {
  const region = text(config.region);
  const project = text(config.vertex_ai_project_id);
  if (!regionName.test(region) || project === "") return {};
  const below = `${base || readHost(region)}/v1/projects/${encodeURIComponent(project)}/locations/${region}`;
  const at = (endpoint: keyof EndpointUrls, path: string): EndpointUrls => {
    const url = joinUrl(below, path);
    return url ? { [endpoint]: url } : {};
  };
  if (isClaude(model))
    return at(
      "claude_messages",
      `/publishers/anthropic/models/${composeClaudeId(model)}:rawPredict`,
    );
  // Other vendors' models carry the vendor's name, as in `meta/…`, and use OpenAI's API.
  if (model.includes("/")) return at("chat_completions", "/endpoints/openapi/chat/completions");
  const predicted = `/publishers/google/models/${encodeURIComponent(model)}:predict`;
  return model.includes("embedding")
    ? at("vertex_embeddings", predicted)
    : at("gemini", "/publishers/google/models");
}

/** Vertex separates the date in a model's name by an at sign. */
function composeClaudeId(model: string): string {
  const name = model
    .replace("claude-3-5-sonnet-20241022", "claude-3-5-sonnet-v2-20241022")
    .replace(/-(\d{8})$/, "@$1");
  return encodeURIComponent(name).replaceAll("%40", "@");
}

/** Fields that count for a prompt's length; Vertex accepts no others here. */
const countable = new Set(["contents", "systemInstruction", "tools", "generationConfig"]);

function finish(
  request: UpstreamRequest,
  call: AskedReply & CallFormats,
  model: string,
): UpstreamRequest {
  if (call.upstream.endpoint === "claude_messages") return buildClaudeRequest(request, call, model);
  if (!request.url.pathname.endsWith(":countTokens")) return request;
  const { generateContentRequest } = parseObject(request.body.toString("utf8"));
  if (!isRecord(generateContentRequest)) return request;
  const meant = Object.entries(generateContentRequest).filter(([name]) => countable.has(name));
  return { ...request, body: Buffer.from(JSON.stringify(Object.fromEntries(meant))) };
}

function buildClaudeRequest(
  request: UpstreamRequest,
  { isStream }: AskedReply,
  model: string,
): UpstreamRequest {
  const betas = listHostedBetas(request.headers);
  const headers = [
    ...stripHeaders(
      request.headers,
      "anthropic-version",
      "anthropic-beta",
      "x-claude-code-session-id",
    ),
    ...(betas.length > 0 ? ["anthropic-beta", betas.join(",")] : []),
  ];
  const version = { anthropic_version: JSON.stringify(claudeVersion) };
  const { href } = request.url;
  if (isTokenCount(request)) {
    const named = { ...version, model: JSON.stringify(decodeURIComponent(composeClaudeId(model))) };
    const url = new URL(href.replace(/\/models\/.*$/, "/models/count-tokens:rawPredict"));
    return { ...request, url, headers, body: stripMembers(request.body, ["model"], named) };
  }
  const url = isStream ? new URL(href.replace(/:rawPredict$/, ":streamRawPredict")) : request.url;
  return { ...request, url, headers, body: stripMembers(request.body, ["model"], version) };
}

const scope = "https://www.googleapis.com/auth/cloud-platform";
const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const defaultTokenUrl = "https://oauth2.googleapis.com/token";
const assertionSeconds = 3_600;

const tokenExchange: TokenExchange = {
  request(key, { base }, now): UpstreamRequest {
    const account = buildAccount(key);
    const url = composeTokenUrl(account, base);
    const form = new URLSearchParams({
      grant_type: grant,
      assertion: signAssertion(account, url, now),
    });
    const headers = [
      "content-type",
      "application/x-www-form-urlencoded",
      "accept",
      "application/json",
    ];
    return { url, headers, body: Buffer.from(form.toString()) };
  },
  read: ({ access_token, expires_in }: JsonRecord) =>
    typeof access_token === "string" && access_token !== "" && typeof expires_in === "number"
      ? { secret: access_token, livesMs: expires_in * 1000 }
      : undefined,
};

/** The service account in the key, alone or behind region and project. */
function buildAccount(key: string): JsonRecord {
  const account = parseObject(key.slice(Math.max(key.indexOf("{"), 0)));
  if (text(account.client_email) === "" || text(account.private_key) === "") {
    throw new InvalidChannelKey(
      "the credentials of this channel must be the JSON key of a service account",
    );
  }
  return account;
}

/**
 * Only Google, or the host that the operator gave for this channel, may receive the signed claim.
 */
function composeTokenUrl({ token_uri }: JsonRecord, base: string): URL {
  const url = URL.parse(text(token_uri) || defaultTokenUrl);
  const isGoogle =
    url?.protocol === "https:" && url.port === "" && /(^|\.)googleapis\.com$/.test(url.hostname);
  if (url && (isGoogle || url.origin === URL.parse(base)?.origin)) return url;
  throw new InvalidChannelKey("the token_uri of the service account is no address of Google");
}

/** A signed JWT of the service account (RFC 7523). */
function signAssertion(
  { client_email, private_key, private_key_id }: JsonRecord,
  url: URL,
  now: number,
): string {
  const iat = Math.floor(now / 1000);
  const header = {
    alg: "RS256",
    typ: "JWT",
    ...(text(private_key_id) !== "" && { kid: private_key_id }),
  };
  const claims = { iss: client_email, scope, aud: url.href, iat, exp: iat + assertionSeconds };
  const signingInput = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  try {
    return `${signingInput}.${sign("RSA-SHA256", Buffer.from(signingInput), text(private_key)).toString("base64url")}`;
  } catch {
    throw new InvalidChannelKey("the private key of the service account cannot be read");
  }
}

export const vertex: ProviderAdapter = {
  endpoints: buildEntries,
  credentials: composeBearer,
  tokenExchange,
  finish,
};
