/**
 * Coze, with a personal access token, or with the JSON of an OAuth app that requests its own tokens
 * (`oauth_jwt`).
 */
import { createSign, randomUUID } from "node:crypto";
import { collectEvents } from "../formats/coze-chat.ts";
import { type JsonRecord, parseObject, text } from "../wire/json-parts.ts";
import { joinUrl } from "./endpoint-urls.ts";
import {
  InvalidChannelKey,
  type ProviderAdapter,
  type ProviderSettings,
  type TokenExchange,
  type UpstreamRequest,
} from "./provider.ts";
import { composeBearer } from "./standard-providers.ts";

const tokenSeconds = 3_600;
const claimSeconds = 600;

const encodeBase64 = (json: JsonRecord): string =>
  Buffer.from(JSON.stringify(json)).toString("base64url");

/** The app's signed JWT, RS256, for the host of the token endpoint. */
function signClaim(app: JsonRecord, host: string, now: number): string {
  const iat = Math.floor(now / 1000);
  const header = { alg: "RS256", typ: "JWT", kid: app.public_key_id };
  const claim = { iss: app.client_id, aud: host, iat, exp: iat + claimSeconds, jti: randomUUID() };
  const stated = `${encodeBase64(header)}.${encodeBase64(claim)}`;
  try {
    return `${stated}.${createSign("RSA-SHA256").update(stated).sign(text(app.private_key)).toString("base64url")}`;
  } catch {
    throw new InvalidChannelKey("the private_key in the key of this channel cannot be read");
  }
}

const tokenExchange: TokenExchange = {
  isUsedBy: ({ config }) => config.auth_type === "oauth_jwt",
  request(key, { base }, now): UpstreamRequest {
    const app = parseObject(key);
    const isWhole = ["client_id", "public_key_id", "private_key"].every(
      (name) => text(app[name]) !== "",
    );
    if (!isWhole)
      throw new InvalidChannelKey(
        "the key of this channel must be the JSON that Coze gives for an OAuth app",
      );
    const url = joinUrl(
      text(app.coze_api_base).replace(/\/+$/, "") || base,
      "/api/permission/oauth2/token",
    );
    if (!url) throw new InvalidChannelKey("coze_api_base in the key of this channel is no address");
    const grant = {
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      duration_seconds: tokenSeconds,
    };
    const headers = [
      "content-type",
      "application/json",
      ...composeBearer(signClaim(app, url.host, now)),
    ];
    return { url, headers, body: Buffer.from(JSON.stringify(grant)) };
  },
  read({ access_token, expires_in }, now) {
    if (typeof access_token !== "string" || typeof expires_in !== "number") return undefined;
    // Despite its name, Coze's value is a point in time; a proxy in front of Coze may send a
    // duration.
    const isMoment = expires_in > tokenSeconds;
    return { secret: access_token, livesMs: expires_in * 1000 - (isMoment ? now : 0) };
  },
};

const defaultUserId = "tollgate";

/** Coze requires a user id: the client's, or the operator's setting. */
function addUser(body: Buffer, { config }: ProviderSettings): Buffer {
  const json = parseObject(body.toString("utf8"));
  return json.user_id === undefined
    ? Buffer.from(JSON.stringify({ ...json, user_id: text(config.user_id) || defaultUserId }))
    : body;
}

export const coze: ProviderAdapter = {
  endpoints({ base }) {
    const url = joinUrl(base, "/v3/chat");
    return url ? { coze_chat: url } : {};
  },
  credentials: composeBearer,
  tokenExchange,
  finish: (request, call, _model, { settings }) => ({
    ...request,
    body: addUser(request.body, settings),
    ...(!call.isStream && { readPoll: (stream: Buffer) => ({ body: collectEvents(stream) }) }),
  }),
};
