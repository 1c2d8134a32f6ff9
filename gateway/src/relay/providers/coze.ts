/** Coze, with a personal access token, or with the JSON of an app that gets tokens for itself (`oauth_jwt`). */
import { createSign, randomUUID } from "node:crypto";
import { type Json, parsedObject, text } from "../json-parts.ts";
import { collectedEvents } from "../shapes/coze-chat.ts";
import { joined } from "./entry-urls.ts";
import { type Login, LoginRefused, type Provider, type ProviderSettings, type UpstreamRequest } from "./provider.ts";
import { bearer } from "./usual.ts";

const tokenSeconds = 3_600;
const claimSeconds = 600;

const base64 = (json: Json): string => Buffer.from(JSON.stringify(json)).toString("base64url");

/** What proves to Coze that the app asks: RS256, for the host that is asked. */
function signedClaim(app: Json, host: string, now: number): string {
  const iat = Math.floor(now / 1000);
  const header = { alg: "RS256", typ: "JWT", kid: app.public_key_id };
  const claim = { iss: app.client_id, aud: host, iat, exp: iat + claimSeconds, jti: randomUUID() };
  const stated = `${base64(header)}.${base64(claim)}`;
  try {
    return `${stated}.${createSign("RSA-SHA256").update(stated).sign(text(app.private_key)).toString("base64url")}`;
  } catch {
    throw new LoginRefused("the private_key in the key of this channel cannot be read");
  }
}

const login: Login = {
  applies: ({ config }) => config.auth_type === "oauth_jwt",
  request(key, { base }, now): UpstreamRequest {
    const app = parsedObject(key);
    const isWhole = ["client_id", "public_key_id", "private_key"].every((name) => text(app[name]) !== "");
    if (!isWhole) throw new LoginRefused("the key of this channel must be the JSON that Coze gives for an OAuth app");
    const url = joined(text(app.coze_api_base).replace(/\/+$/, "") || base, "/api/permission/oauth2/token");
    if (!url) throw new LoginRefused("coze_api_base in the key of this channel is no address");
    const asked = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", duration_seconds: tokenSeconds };
    const headers = ["content-type", "application/json", ...bearer(signedClaim(app, url.host, now))];
    return { url, headers, body: Buffer.from(JSON.stringify(asked)) };
  },
  read({ access_token, expires_in }, now) {
    if (typeof access_token !== "string" || typeof expires_in !== "number") return undefined;
    // It is the moment, in spite of its name; who fronts Coze may take it at its word.
    const isMoment = expires_in > tokenSeconds;
    return { secret: access_token, livesMs: expires_in * 1000 - (isMoment ? now : 0) };
  },
};

const nobody = "tollgate";

/** Whose conversation it is has to be said: the caller's word, or the operator's. */
function withUser(body: Buffer, { config }: ProviderSettings): Buffer {
  const json = parsedObject(body.toString("utf8"));
  return json.user_id === undefined
    ? Buffer.from(JSON.stringify({ ...json, user_id: text(config.user_id) || nobody }))
    : body;
}

export const coze: Provider = {
  entries({ base }) {
    const url = joined(base, "/v3/chat");
    return url ? { coze_chat: url } : {};
  },
  credentials: bearer,
  login,
  finish: (request, call, _model, { settings }) => ({
    ...request,
    body: withUser(request.body, settings),
    ...(!call.isStream && { next: (stream: Buffer) => ({ body: collectedEvents(stream) }) }),
  }),
};
