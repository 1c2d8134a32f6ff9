/** Exchanges the authorization code of a callback for the user's identity at the provider. */
import type { ExternalProvider } from "@tollgate/contract/external-sign-in.ts";
import type { Egress } from "../../egress/egress.ts";
import { type JsonRequest, requestJson } from "../../egress/request-json.ts";
import { accessTokenIn, type ExternalIdentity, githubIdentity, larkIdentity, reasonIn } from "./external-rules.ts";

/** Addresses of the providers; GitHub Enterprise and Lark outside of China have their own. */
export interface OauthProviderUrls {
  github: string;
  githubApi: string;
  lark: string;
}

export interface OauthCodeExchange {
  provider: ExternalProvider;
  code: string;
  clientId: string;
  clientSecret: string;
  /** As registered with the provider; never taken from the request. */
  redirectUri: string | undefined;
}

/** `refused` is final for this code; after `silent` the same code may still be valid. */
export type ExternalIdentityResult = { identity: ExternalIdentity } | { refused: string } | { silent: true };
export type FetchExternalIdentity = (exchange: OauthCodeExchange) => Promise<ExternalIdentityResult>;

interface OauthProviderRequests {
  token: JsonRequest;
  person(accessToken: string): JsonRequest;
  identityIn(body: unknown): ExternalIdentity | undefined;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function providerRequestsFor(urls: OauthProviderUrls, exchange: OauthCodeExchange): OauthProviderRequests {
  const { provider, code, clientId, clientSecret, redirectUri } = exchange;
  const credentials = {
    client_id: clientId,
    client_secret: clientSecret,
    code,
    ...(redirectUri !== undefined && { redirect_uri: redirectUri }),
  };
  return {
    github: {
      token: { method: "POST", url: `${urls.github}/login/oauth/access_token`, body: credentials } as const,
      person: (token: string) => ({ method: "GET", url: `${urls.githubApi}/user`, headers: bearer(token) }) as const,
      identityIn: githubIdentity,
    },
    lark: {
      token: {
        method: "POST",
        url: `${urls.lark}/open-apis/authen/v2/oauth/token`,
        body: { grant_type: "authorization_code", ...credentials },
      } as const,
      person: (token: string) =>
        ({ method: "GET", url: `${urls.lark}/open-apis/authen/v1/user_info`, headers: bearer(token) }) as const,
      identityIn: larkIdentity,
    },
  }[provider];
}

const isUnavailable = (status: number) => status >= 500 || status === 429;

interface FetchIdentityDeps {
  egress: Egress;
  urls: OauthProviderUrls;
  deadlineMs: number;
  /** For the operator: the user is not at fault when a provider cannot be reached. */
  onError(error: unknown): void;
}

export function createExternalIdentityFetcher({
  egress,
  urls,
  deadlineMs,
  onError,
}: FetchIdentityDeps): FetchExternalIdentity {
  return async (exchange) => {
    const { token, person, identityIn } = providerRequestsFor(urls, exchange);
    // One deadline for both requests: the user is waiting in front of the browser.
    const signal = AbortSignal.timeout(deadlineMs);
    try {
      const tokenReply = await requestJson(egress, token, signal);
      if (isUnavailable(tokenReply.status)) throw new Error(`${token.url} answered ${tokenReply.status}`);
      const accessToken = accessTokenIn(tokenReply.body);
      if (accessToken === "") return { refused: reasonIn(tokenReply.body) };
      const userRequest = person(accessToken);
      const userReply = await requestJson(egress, userRequest, signal);
      const identity = userReply.status === 200 ? identityIn(userReply.body) : undefined;
      if (!identity) throw new Error(`${userRequest.url} answered ${userReply.status} without a user`);
      return { identity };
    } catch (error) {
      // No connection, no reply in time and an unreadable reply are the same to the user.
      onError(error);
      return { silent: true };
    }
  };
}

export const authorizeUrls = ({ github, lark }: OauthProviderUrls) => ({
  github_authorize_url: `${github}/login/oauth/authorize`,
  lark_authorize_url: `${lark}/open-apis/authen/v1/authorize`,
});
