/** Short-lived secrets of the providers that do not take the stored key itself: asked for once, kept while they live. */
import type { Egress } from "../../egress/egress.ts";
import type { TokenExchange } from "../providers/provider.ts";
import type { RelayChannel } from "../routing/channel-table.ts";
import { parsedObject } from "../wire/json-parts.ts";
import { type ForwardResult, forward } from "./forward.ts";
import { connectionFailed, credentialsRejected, type UpstreamError } from "./upstream-error.ts";

const answerMax = 64 * 1024;
/** Renewed before it ends: a call that is on its way must not find it expired. */
const renewBeforeMs = 60_000;

export type ProviderSecret = { secret: string } | { error: UpstreamError };

export interface ProviderTokens {
  /** The channel's key, or what its provider gives for it. Throws `LoginRelayRefused` for a key of another form. */
  secretFor(channel: RelayChannel): Promise<ProviderSecret>;
  /** The provider did not take the last one. */
  invalidate(channel: RelayChannel): void;
}

interface CachedToken {
  /** Key and settings that it was given for. */
  scope: string;
  until: number;
  secret: Promise<ProviderSecret>;
}

export function createProviderTokens(egress: Egress, now: () => number): ProviderTokens {
  const known = new Map<string, CachedToken>();
  const nameOf = ({ id, keyIndex }: RelayChannel): string => `${id} ${keyIndex}`;

  async function requestToken(
    exchange: TokenExchange,
    channel: RelayChannel,
    entry: CachedToken,
  ): Promise<ProviderSecret> {
    const forwarded = await forward(egress, exchange.request(channel.key, channel.settings, now()), () => undefined);
    const found = await readToken(exchange, forwarded, now());
    if ("secret" in found) entry.until = now() + found.livesMs - renewBeforeMs;
    else entry.until = 0;
    return found;
  }

  return {
    async secretFor(channel) {
      const { tokenExchange: exchange } = channel.provider;
      if (!exchange || exchange.isUsedBy?.(channel.settings) === false) return { secret: channel.key };
      const scope = JSON.stringify([channel.key, channel.settings.config]);
      const last = known.get(nameOf(channel));
      if (last && last.scope === scope && last.until > now()) return await last.secret;
      // Calls that come while it is asked for share the one answer.
      const entry: CachedToken = { scope, until: Number.POSITIVE_INFINITY, secret: Promise.resolve({ secret: "" }) };
      entry.secret = requestToken(exchange, channel, entry).catch((error: unknown) => {
        entry.until = 0;
        throw error;
      });
      known.set(nameOf(channel), entry);
      return await entry.secret;
    },
    invalidate: (channel) => void known.delete(nameOf(channel)),
  };
}

type TokenResult = { secret: string; livesMs: number } | { error: UpstreamError };

async function readToken(exchange: TokenExchange, forwarded: ForwardResult, now: number): Promise<TokenResult> {
  if ("error" in forwarded) return { error: asExchangeError(forwarded.error) };
  const body = await forwarded.answer.readAll(answerMax).catch(() => Buffer.alloc(0));
  const found = exchange.read(parsedObject(body.toString("utf8")), now);
  return found ?? { error: asExchangeError(connectionFailed("the answer holds no access token")) };
}

/** Whatever is wrong with a sign-in, the caller's own call is fine, and another channel may serve it. */
function asExchangeError(error: UpstreamError): UpstreamError {
  const reason = `signing in: ${error.reason}`;
  return error.isRetryable
    ? { ...error, reason }
    : { ...error, reason, isRetryable: true, refusal: credentialsRejected };
}
