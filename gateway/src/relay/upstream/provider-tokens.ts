/**
 * Access tokens of providers that do not accept the stored key itself: requested once, cached while
 * they are valid.
 */
import type { Egress } from "../../egress/egress.ts";
import type { TokenExchange } from "../providers/provider.ts";
import type { ChannelAccess, ChannelIdentity } from "../routing/channel-parts.ts";
import { parseObject } from "../wire/json-parts.ts";
import { type ForwardResult, forward } from "./forward.ts";
import { buildConnectionFailed, type UpstreamError } from "./upstream-error.ts";
import { credentialsRejected } from "./upstream-failure-kinds.ts";

const answerMax = 64 * 1024;
/** Renewed early: a call in flight must not find its token expired. */
const renewBeforeMs = 60_000;

export type ProviderSecret = { secret: string } | { error: UpstreamError };

export interface ProviderTokens {
  /**
   * The channel's key, or the token that its provider issues for it. Throws `InvalidChannelKey` for
   * a key of another form.
   */
  secretFor(channel: ChannelIdentity & ChannelAccess): Promise<ProviderSecret>;
  /** The provider rejected the last token. */
  invalidate(channel: ChannelIdentity & ChannelAccess): void;
}

interface CachedToken {
  /** The key and settings that the token was issued for. */
  scope: string;
  until: number;
  secret: Promise<ProviderSecret>;
}

export function createProviderTokens(egress: Egress, now: () => number): ProviderTokens {
  const known = new Map<string, CachedToken>();
  const nameOf = ({ id, keyIndex }: ChannelIdentity & ChannelAccess): string => `${id} ${keyIndex}`;

  async function requestToken(
    exchange: TokenExchange,
    channel: ChannelAccess,
    entry: CachedToken,
  ): Promise<ProviderSecret> {
    const request = exchange.request(channel.key, channel.settings, now());
    const forwarded = await forward(egress.through(channel.proxy), request, () => undefined);
    const found = await readToken(exchange, forwarded, now());
    if ("secret" in found) entry.until = now() + found.livesMs - renewBeforeMs;
    else entry.until = 0;
    return found;
  }

  return {
    async secretFor(channel) {
      const { tokenExchange: exchange } = channel.provider;
      if (!exchange || exchange.isUsedBy?.(channel.settings) === false)
        return { secret: channel.key };
      const scope = JSON.stringify([channel.key, channel.settings.config]);
      const last = known.get(nameOf(channel));
      if (last && last.scope === scope && last.until > now()) return await last.secret;
      // Concurrent calls share one request.
      const entry: CachedToken = {
        scope,
        until: Number.POSITIVE_INFINITY,
        secret: Promise.resolve({ secret: "" }),
      };
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

async function readToken(
  exchange: TokenExchange,
  forwarded: ForwardResult,
  now: number,
): Promise<TokenResult> {
  if ("error" in forwarded) return { error: buildExchangeError(forwarded.error) };
  const body = await forwarded.answer.readAll(answerMax).catch(() => Buffer.alloc(0));
  const found = exchange.read(parseObject(body.toString("utf8")), now);
  return (
    found ?? {
      error: buildExchangeError(buildConnectionFailed("the answer holds no access token")),
    }
  );
}

/** A failed token exchange is no fault of the client, and another channel may serve the call. */
function buildExchangeError(error: UpstreamError): UpstreamError {
  const { lost, refusal, ...rest } = error;
  const reason = `signing in: ${error.reason}`;
  const publicReason = `signing in: ${credentialsRejected.message}`;
  const isOurs = lost !== undefined || !error.isRetryable;
  return {
    ...rest,
    reason,
    publicReason,
    isRetryable: true,
    refusal: isOurs ? credentialsRejected : refusal,
  };
}
