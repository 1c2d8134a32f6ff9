/** Which pages and requests each provider has for signing in, as its documentation says. Pure. */
import type { ExternalProvider } from "@tollgate/contract/external-providers.ts";
import type { JsonRequest } from "../../egress/request-json.ts";
import {
  discordIdentity,
  type ExternalIdentity,
  githubIdentity,
  larkIdentity,
  linuxdoIdentity,
  type RefusedIdentity,
} from "./external-rules.ts";
import type { ProviderCredentials } from "./provider-credentials.ts";

/** Addresses of the providers, without a trailing slash; GitHub Enterprise and Lark outside of China have their own. */
export interface OauthProviderUrls {
  github: string;
  githubApi: string;
  lark: string;
  discord: string;
  linuxdo: string;
}

export interface OauthCodeExchange extends ProviderCredentials {
  provider: ExternalProvider;
  code: string;
}

interface OauthProtocol {
  /** The page that asks the user; complete where the provider compares `redirect_uri` with that of the exchange. */
  page(urls: OauthProviderUrls, credentials: ProviderCredentials, state: string): string;
  token(urls: OauthProviderUrls, exchange: OauthCodeExchange): JsonRequest;
  person(urls: OauthProviderUrls, accessToken: string): JsonRequest;
  identityIn(body: unknown, exchange: OauthCodeExchange): ExternalIdentity | RefusedIdentity | undefined;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const basic = ({ clientId, clientSecret }: ProviderCredentials) => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`,
});

const credentialsIn = ({ code, clientId, clientSecret, redirectUri }: OauthCodeExchange) => ({
  client_id: clientId,
  client_secret: clientSecret,
  code,
  ...(redirectUri !== undefined && { redirect_uri: redirectUri }),
});

const grantIn = ({ code, redirectUri = "" }: OauthCodeExchange) => ({
  grant_type: "authorization_code",
  code,
  redirect_uri: redirectUri,
});

const pageOf = (address: string, { clientId, redirectUri = "" }: ProviderCredentials, more: Record<string, string>) =>
  `${address}?${new URLSearchParams({ response_type: "code", client_id: clientId, redirect_uri: redirectUri, ...more })}`;

export const oauthProtocols: Readonly<Record<ExternalProvider, OauthProtocol>> = {
  github: {
    page: ({ github }) => `${github}/login/oauth/authorize`,
    token: ({ github }, exchange) => ({
      method: "POST",
      url: `${github}/login/oauth/access_token`,
      body: credentialsIn(exchange),
    }),
    person: ({ githubApi }, token) => ({ method: "GET", url: `${githubApi}/user`, headers: bearer(token) }),
    identityIn: githubIdentity,
  },
  lark: {
    page: ({ lark }) => `${lark}/open-apis/authen/v1/authorize`,
    token: ({ lark }, exchange) => ({
      method: "POST",
      url: `${lark}/open-apis/authen/v2/oauth/token`,
      body: { grant_type: "authorization_code", ...credentialsIn(exchange) },
    }),
    person: ({ lark }, token) => ({
      method: "GET",
      url: `${lark}/open-apis/authen/v1/user_info`,
      headers: bearer(token),
    }),
    identityIn: larkIdentity,
  },
  discord: {
    page: ({ discord }, credentials, state) =>
      pageOf(`${discord}/oauth2/authorize`, credentials, { scope: "identify", state }),
    token: ({ discord }, exchange) => ({
      method: "POST",
      url: `${discord}/api/oauth2/token`,
      headers: basic(exchange),
      body: new URLSearchParams(grantIn(exchange)),
    }),
    person: ({ discord }, token) => ({ method: "GET", url: `${discord}/api/users/@me`, headers: bearer(token) }),
    identityIn: discordIdentity,
  },
  linuxdo: {
    page: ({ linuxdo }, credentials, state) => pageOf(`${linuxdo}/oauth2/authorize`, credentials, { state }),
    token: ({ linuxdo }, exchange) => ({
      method: "POST",
      url: `${linuxdo}/oauth2/token`,
      headers: basic(exchange),
      body: new URLSearchParams(grantIn(exchange)),
    }),
    person: ({ linuxdo }, token) => ({ method: "GET", url: `${linuxdo}/api/user`, headers: bearer(token) }),
    identityIn: (body, { minimumTrustLevel }) => linuxdoIdentity(body, minimumTrustLevel),
  },
};
