/** Google's Vertex AI: Gemini and Claude by their own interfaces, below a project and a region. */
import { sign } from "node:crypto";
import { isRecord, type Json, parsedObject, text } from "../json-parts.ts";
import type { Call } from "../shapes/shape.ts";
import { betasElsewhere, isClaude, isCounting, withoutMembers } from "./claude-elsewhere.ts";
import { type EntryUrls, joined } from "./entry-urls.ts";
import { withoutHeaders } from "./header-list.ts";
import { type Login, LoginRefused, type Provider, type ProviderSettings, type UpstreamRequest } from "./provider.ts";
import { bearer } from "./usual.ts";

/** The version of Anthropic's interface, which stands in the body here. */
const claudeVersion = "vertex-2023-10-16";

/** Part of a host name: nothing else may be there. */
const regionName = /^[a-z0-9-]{1,40}$/;

function hostFor(region: string): string {
  return region === "global" ? "https://aiplatform.googleapis.com" : `https://${region}-aiplatform.googleapis.com`;
}

function entries({ base, config }: ProviderSettings, model: string): EntryUrls {
  const region = text(config.region);
  const project = text(config.vertex_ai_project_id);
  if (!regionName.test(region) || project === "") return {};
  const below = `${base || hostFor(region)}/v1/projects/${encodeURIComponent(project)}/locations/${region}`;
  const at = (entry: keyof EntryUrls, path: string): EntryUrls => {
    const url = joined(below, path);
    return url ? { [entry]: url } : {};
  };
  if (isClaude(model)) return at("claude_messages", `/publishers/anthropic/models/${claudeId(model)}:rawPredict`);
  // Models of other makers are named with them, as in `meta/…`, and asked by OpenAI's interface.
  if (model.includes("/")) return at("chat_completions", "/endpoints/openapi/chat/completions");
  const predicted = `/publishers/google/models/${encodeURIComponent(model)}:predict`;
  return model.includes("embedding") ? at("vertex_embeddings", predicted) : at("gemini", "/publishers/google/models");
}

/** The date in a name stands behind an at sign here. */
function claudeId(model: string): string {
  const name = model.replace("claude-3-5-sonnet-20241022", "claude-3-5-sonnet-v2-20241022").replace(/-(\d{8})$/, "@$1");
  return encodeURIComponent(name).replaceAll("%40", "@");
}

/** Members of a call that counting knows; the others do not change how long the prompt is. */
const countable = new Set(["contents", "systemInstruction", "tools", "generationConfig"]);

function finish(request: UpstreamRequest, call: Call, model: string): UpstreamRequest {
  if (call.shape.entry === "claude_messages") return claudeRequest(request, call, model);
  if (!request.url.pathname.endsWith(":countTokens")) return request;
  const { generateContentRequest } = parsedObject(request.body.toString("utf8"));
  if (!isRecord(generateContentRequest)) return request;
  const meant = Object.entries(generateContentRequest).filter(([name]) => countable.has(name));
  return { ...request, body: Buffer.from(JSON.stringify(Object.fromEntries(meant))) };
}

function claudeRequest(request: UpstreamRequest, { isStream }: Call, model: string): UpstreamRequest {
  const betas = betasElsewhere(request.headers);
  const headers = [
    ...withoutHeaders(request.headers, "anthropic-version", "anthropic-beta"),
    ...(betas.length > 0 ? ["anthropic-beta", betas.join(",")] : []),
  ];
  const version = { anthropic_version: JSON.stringify(claudeVersion) };
  const { href } = request.url;
  if (isCounting(request)) {
    const named = { ...version, model: JSON.stringify(decodeURIComponent(claudeId(model))) };
    const url = new URL(href.replace(/\/models\/.*$/, "/models/count-tokens:rawPredict"));
    return { ...request, url, headers, body: withoutMembers(request.body, ["model"], named) };
  }
  const url = isStream ? new URL(href.replace(/:rawPredict$/, ":streamRawPredict")) : request.url;
  return { ...request, url, headers, body: withoutMembers(request.body, ["model"], version) };
}

const scope = "https://www.googleapis.com/auth/cloud-platform";
const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const usualTokenUrl = "https://oauth2.googleapis.com/token";
const assertionSeconds = 3_600;

const login: Login = {
  request(key, { base }, now): UpstreamRequest {
    const account = accountIn(key);
    const url = tokenUrl(account, base);
    const form = new URLSearchParams({ grant_type: grant, assertion: assertion(account, url, now) });
    const headers = ["content-type", "application/x-www-form-urlencoded", "accept", "application/json"];
    return { url, headers, body: Buffer.from(form.toString()) };
  },
  read: ({ access_token, expires_in }: Json) =>
    typeof access_token === "string" && access_token !== "" && typeof expires_in === "number"
      ? { secret: access_token, livesMs: expires_in * 1000 }
      : undefined,
};

/** The service account behind region and project in the key, or alone in it. */
function accountIn(key: string): Json {
  const account = parsedObject(key.slice(Math.max(key.indexOf("{"), 0)));
  if (text(account.client_email) === "" || text(account.private_key) === "") {
    throw new LoginRefused("the credentials of this channel must be the JSON key of a service account");
  }
  return account;
}

/** Nobody but Google, or the address that the operator gave for this channel, may see who we are. */
function tokenUrl({ token_uri }: Json, base: string): URL {
  const url = URL.parse(text(token_uri) || usualTokenUrl);
  const isGoogle = url?.protocol === "https:" && url.port === "" && /(^|\.)googleapis\.com$/.test(url.hostname);
  if (url && (isGoogle || url.origin === URL.parse(base)?.origin)) return url;
  throw new LoginRefused("the token_uri of the service account is no address of Google");
}

/** A statement of who we are, signed as RFC 7523 wants it. */
function assertion({ client_email, private_key, private_key_id }: Json, url: URL, now: number): string {
  const iat = Math.floor(now / 1000);
  const header = { alg: "RS256", typ: "JWT", ...(text(private_key_id) !== "" && { kid: private_key_id }) };
  const claims = { iss: client_email, scope, aud: url.href, iat, exp: iat + assertionSeconds };
  const said = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  try {
    return `${said}.${sign("RSA-SHA256", Buffer.from(said), text(private_key)).toString("base64url")}`;
  } catch {
    throw new LoginRefused("the private key of the service account cannot be read");
  }
}

export const vertex: Provider = { entries, credentials: bearer, login, finish };
