/** Exchanges the authorization code of a callback for the user's identity at the provider. */
import type { Egress } from "../../egress/egress.ts";
import { requestJson } from "../../egress/request-json.ts";
import { accessTokenIn, type ExternalIdentity, type RefusedIdentity, reasonIn } from "./external-rules.ts";
import { type OauthCodeExchange, type OauthProviderUrls, oauthProtocols } from "./provider-protocols.ts";

/** `refused` is final for this code; after `silent` the same code may still be valid. */
export type ExternalIdentityResult = { identity: ExternalIdentity } | RefusedIdentity | { silent: true };
export type FetchExternalIdentity = (exchange: OauthCodeExchange) => Promise<ExternalIdentityResult>;

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
    const protocol = oauthProtocols[exchange.provider];
    // One deadline for both requests: the user is waiting in front of the browser.
    const signal = AbortSignal.timeout(deadlineMs);
    try {
      const token = protocol.token(urls, exchange);
      const tokenReply = await requestJson(egress, token, signal);
      if (isUnavailable(tokenReply.status)) throw new Error(`${token.url} answered ${tokenReply.status}`);
      const accessToken = accessTokenIn(tokenReply.body);
      if (accessToken === "") return { refused: reasonIn(tokenReply.body) };
      const person = protocol.person(urls, accessToken);
      const personReply = await requestJson(egress, person, signal);
      const identity = personReply.status === 200 ? protocol.identityIn(personReply.body, exchange) : undefined;
      if (!identity) throw new Error(`${person.url} answered ${personReply.status} without a user`);
      return "refused" in identity ? identity : { identity };
    } catch (error) {
      // No connection, no reply in time and an unreadable reply are the same to the user.
      onError(error);
      return { silent: true };
    }
  };
}
