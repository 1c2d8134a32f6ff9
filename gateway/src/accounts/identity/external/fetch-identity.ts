/** Exchanges the authorization code of a callback for the user's identity at the provider. */
import type { Egress } from "../../../egress/egress.ts";
import { type JsonRequest, requestJson } from "../../../egress/request-json.ts";
import {
  type ExternalIdentity,
  parseAccessToken,
  parseReason,
  type RefusedIdentity,
  readWechatIdentity,
} from "./external-rules.ts";
import {
  buildWechatRequest,
  type OauthCodeExchange,
  type OauthProviderUrls,
  oauthProtocols,
} from "./provider-protocols.ts";
import { readTelegramIdentity } from "./telegram-identity.ts";

/** `refused` is final for this code; after `silent` the same code may still be valid. */
export type ExternalIdentityResult =
  | { identity: ExternalIdentity }
  | RefusedIdentity
  | { silent: true };
export type FetchExternalIdentity = (
  exchange: OauthCodeExchange,
) => Promise<ExternalIdentityResult>;

/** `readOrigin` is for the operator's log: the path of a question may hold a code. */
const readOrigin = ({ url }: JsonRequest): string => new URL(url).origin;

const isUnavailable = (status: number) => status >= 500 || status === 429;

interface FetchIdentityDeps {
  egress: Egress;
  urls: OauthProviderUrls;
  deadlineMs: number;
  /** `onError` is for the operator: the user is not at fault when a provider cannot be reached. */
  onError(error: unknown): void;
}

export function createExternalIdentityFetcher({
  egress,
  urls,
  deadlineMs,
  onError,
}: FetchIdentityDeps): FetchExternalIdentity {
  const askAt = async (request: JsonRequest, signal: AbortSignal) => {
    const reply = await requestJson(egress, request, signal);
    if (isUnavailable(reply.status))
      throw new Error(`${readOrigin(request)} answered ${reply.status}`);
    return reply;
  };

  const identityOf = async (exchange: OauthCodeExchange, signal: AbortSignal) => {
    const { provider } = exchange;
    if (provider === "telegram")
      return readTelegramIdentity(exchange.code, exchange.clientSecret, exchange.now);
    if (provider === "wechat") {
      const question = buildWechatRequest(exchange);
      const { status, body } = await askAt(question, signal);
      const identity = readWechatIdentity(body, exchange.code);
      if (!identity) throw new Error(`${readOrigin(question)} answered ${status} without a user`);
      return identity;
    }
    const protocol = oauthProtocols[provider];
    const { body } = await askAt(protocol.token(urls, exchange), signal);
    const accessToken = parseAccessToken(body);
    if (accessToken === "") return { refused: parseReason(body) };
    const question = protocol.person(urls, accessToken);
    const person = await askAt(question, signal);
    const identity = person.status === 200 ? protocol.identityIn(person.body, exchange) : undefined;
    if (!identity)
      throw new Error(`${readOrigin(question)} answered ${person.status} without a user`);
    return identity;
  };

  return async (exchange) => {
    try {
      // One deadline for all requests: the user is waiting in front of the browser.
      const identity = await identityOf(exchange, AbortSignal.timeout(deadlineMs));
      return "refused" in identity ? identity : { identity };
    } catch (error) {
      // No connection, no reply in time and an unreadable reply are the same to the user.
      onError(error);
      return { silent: true };
    }
  };
}
