/** Trades the code that a browser brought back for the person's identity at the provider. */
import type { ExternalProvider } from "@tollgate/contract/external-sign-in.ts";
import type { Egress } from "../egress/egress.ts";
import { type JsonRequest, requestJson } from "../egress/request-json.ts";
import { accessTokenIn, githubIdentity, type Identity, larkIdentity, reasonIn } from "./external-rules.ts";

/** Where the providers are; others than the usual ones for GitHub Enterprise and Lark outside of China. */
export interface ProviderUrls {
  github: string;
  githubApi: string;
  lark: string;
}

export interface Exchange {
  provider: ExternalProvider;
  code: string;
  clientId: string;
  clientSecret: string;
  /** As it is registered; never taken from the request. */
  redirectUri: string | undefined;
}

/** `refused` is final for this code; after `silent` the same code may still be good. */
export type Identified = { identity: Identity } | { refused: string } | { silent: true };
export type AskProvider = (exchange: Exchange) => Promise<Identified>;

interface Provider {
  token: JsonRequest;
  person(accessToken: string): JsonRequest;
  identityIn(body: unknown): Identity | undefined;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function providerOf(urls: ProviderUrls, exchange: Exchange): Provider {
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

const isTrouble = (status: number) => status >= 500 || status === 429;

interface Parts {
  egress: Egress;
  urls: ProviderUrls;
  deadlineMs: number;
  /** For whoever runs this: a provider that cannot be asked is not the person's fault. */
  onTrouble(error: unknown): void;
}

export function askProviderWith({ egress, urls, deadlineMs, onTrouble }: Parts): AskProvider {
  return async (exchange) => {
    const { token, person, identityIn } = providerOf(urls, exchange);
    // One deadline for both questions: somebody is looking at a spinner.
    const signal = AbortSignal.timeout(deadlineMs);
    try {
      const granted = await requestJson(egress, token, signal);
      if (isTrouble(granted.status)) throw new Error(`${token.url} answered ${granted.status}`);
      const accessToken = accessTokenIn(granted.body);
      if (accessToken === "") return { refused: reasonIn(granted.body) };
      const asked = person(accessToken);
      const found = await requestJson(egress, asked, signal);
      const identity = found.status === 200 ? identityIn(found.body) : undefined;
      if (!identity) throw new Error(`${asked.url} answered ${found.status} and named nobody`);
      return { identity };
    } catch (error) {
      // No connection, no answer in time, or nothing that can be read: for the person it is all the same.
      onTrouble(error);
      return { silent: true };
    }
  };
}

export const authorizeUrls = ({ github, lark }: ProviderUrls) => ({
  github_authorize_url: `${github}/login/oauth/authorize`,
  lark_authorize_url: `${lark}/open-apis/authen/v1/authorize`,
});
