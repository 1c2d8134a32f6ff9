/** Pages and requests of each provider for signing in, as its documentation says. Pure. */
import type { ExternalProvider } from "@tollgate/contract/accounts/external-providers.ts";
import type { JsonRequest } from "../../../egress/request-json.ts";
import {
  type ExternalIdentity,
  type RefusedIdentity,
  readDiscordIdentity,
  readGithubIdentity,
  readLarkIdentity,
  readLinuxdoIdentity,
} from "./external-rules.ts";
import type { ProviderCredentials } from "./provider-credentials.ts";
import { composeTelegramBotId } from "./telegram-identity.ts";

/**
 * Addresses of the providers, without a trailing slash; GitHub Enterprise and Lark outside of China
 * have their own.
 */
export interface OauthProviderUrls {
  github: string;
  githubApi: string;
  lark: string;
  discord: string;
  linuxdo: string;
  telegram: string;
}

export interface OauthCodeExchange extends ProviderCredentials {
  provider: ExternalProvider;
  code: string;
  /** Unix milliseconds. */
  now: number;
}

interface PageProtocol {
  /**
   * The page that asks the user; complete where the provider compares `redirect_uri` with that of
   * the exchange.
   */
  page(urls: OauthProviderUrls, credentials: ProviderCredentials, state: string): string;
}

interface OauthProtocol extends PageProtocol {
  token(urls: OauthProviderUrls, exchange: OauthCodeExchange): JsonRequest;
  person(urls: OauthProviderUrls, accessToken: string): JsonRequest;
  identityIn(
    body: unknown,
    exchange: OauthCodeExchange,
  ): ExternalIdentity | RefusedIdentity | undefined;
}

const composeBearer = (token: string) => ({ authorization: `Bearer ${token}` });
const composeBasic = ({ clientId, clientSecret }: ProviderCredentials) => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`,
});

const readCredentials = ({ code, clientId, clientSecret, redirectUri }: OauthCodeExchange) => ({
  client_id: clientId,
  client_secret: clientSecret,
  code,
  ...(redirectUri !== undefined && { redirect_uri: redirectUri }),
});

const buildGrant = ({ code, redirectUri = "" }: OauthCodeExchange) => ({
  grant_type: "authorization_code",
  code,
  redirect_uri: redirectUri,
});

const composePageAddress = (
  address: string,
  { clientId, redirectUri = "" }: ProviderCredentials,
  more: Record<string, string>,
) =>
  `${address}?${new URLSearchParams({ response_type: "code", client_id: clientId, redirect_uri: redirectUri, ...more })}`;

/** Telegram's result says who the user is, and WeChat's code is typed in: neither has a token. */
type OauthProvider = Exclude<ExternalProvider, "telegram" | "wechat">;

export const oauthProtocols: Readonly<Record<OauthProvider, OauthProtocol>> = {
  github: {
    page: ({ github }) => `${github}/login/oauth/authorize`,
    token: ({ github }, exchange) => ({
      method: "POST",
      url: `${github}/login/oauth/access_token`,
      body: readCredentials(exchange),
    }),
    person: ({ githubApi }, token) => ({
      method: "GET",
      url: `${githubApi}/user`,
      headers: composeBearer(token),
    }),
    identityIn: readGithubIdentity,
  },
  lark: {
    page: ({ lark }) => `${lark}/open-apis/authen/v1/authorize`,
    token: ({ lark }, exchange) => ({
      method: "POST",
      url: `${lark}/open-apis/authen/v2/oauth/token`,
      body: { grant_type: "authorization_code", ...readCredentials(exchange) },
    }),
    person: ({ lark }, token) => ({
      method: "GET",
      url: `${lark}/open-apis/authen/v1/user_info`,
      headers: composeBearer(token),
    }),
    identityIn: readLarkIdentity,
  },
  discord: {
    page: ({ discord }, credentials, state) =>
      composePageAddress(`${discord}/oauth2/authorize`, credentials, { scope: "identify", state }),
    token: ({ discord }, exchange) => ({
      method: "POST",
      url: `${discord}/api/oauth2/token`,
      headers: composeBasic(exchange),
      body: new URLSearchParams(buildGrant(exchange)),
    }),
    person: ({ discord }, token) => ({
      method: "GET",
      url: `${discord}/api/users/@me`,
      headers: composeBearer(token),
    }),
    identityIn: readDiscordIdentity,
  },
  linuxdo: {
    page: ({ linuxdo }, credentials, state) =>
      composePageAddress(`${linuxdo}/oauth2/authorize`, credentials, { state }),
    token: ({ linuxdo }, exchange) => ({
      method: "POST",
      url: `${linuxdo}/oauth2/token`,
      headers: composeBasic(exchange),
      body: new URLSearchParams(buildGrant(exchange)),
    }),
    person: ({ linuxdo }, token) => ({
      method: "GET",
      url: `${linuxdo}/api/user`,
      headers: composeBearer(token),
    }),
    identityIn: (body, { minimumTrustLevel }) => readLinuxdoIdentity(body, minimumTrustLevel),
  },
};

/** Telegram appends its result to `return_to`, whose host must be the domain of the bot. */
const composeTelegramPage: PageProtocol["page"] = (
  { telegram },
  { clientSecret, redirectUri = "" },
  state,
) => {
  const back = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  if (!back) return "";
  back.searchParams.set("state", state);
  const bot_id = composeTelegramBotId(clientSecret);
  return `${telegram}/auth?${new URLSearchParams({ bot_id, origin: back.origin, return_to: back.href })}`;
};

/** The providers that have a page to visit. */
export const providerPages = {
  github: oauthProtocols.github.page,
  lark: oauthProtocols.lark.page,
  discord: oauthProtocols.discord.page,
  linuxdo: oauthProtocols.linuxdo.page,
  telegram: composeTelegramPage,
} as const satisfies Partial<Record<ExternalProvider, PageProtocol["page"]>>;

/**
 * The question to the code server that stands behind a WeChat official account
 * (github.com/songquanpeng/wechat-server).
 */
export const buildWechatRequest = ({
  codeServer,
  clientSecret,
  code,
}: OauthCodeExchange): JsonRequest => ({
  method: "GET",
  url: `${codeServer}/api/wechat/user?${new URLSearchParams({ code })}`,
  headers: { authorization: clientSecret },
});
