import { buildEachTokenLimit } from "@tollgate/contract/accounts/token-restrictions.ts";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import type { Counters } from "../../limits/counters.ts";
import type { RelayCaller } from "../admission/api-keys.ts";
import { authenticate, findKeyRefusal, requireCredential } from "../admission/authenticate.ts";
import { admitFree } from "../admission/token-limits.ts";
import type { KnownCall, ReplyToClient } from "../exchange-parts.ts";
import { type CallerDeps, sendJson } from "./json-endpoint.ts";
import type { ReadBalance } from "./read-balance.ts";
import type { ReadKeyLogs } from "./read-key-logs.ts";

/** The newest calls of one key; `/` at the end is optional. */
export const keyUsagePath = /^\/api\/(usage|log)\/token\/?$/;

export interface HolderDeps extends CallerDeps {
  counters: Counters;
}
export interface KeyUsageDeps extends HolderDeps {
  readBalance: ReadBalance;
  readKeyLogs: ReadKeyLogs;
}

/**
 * Questions about one key by minute: a page asks three at once, and reading calls costs more than a
 * call.
 */
const questions = { limit: 60, windowMs: 60_000 };

/**
 * The key that asks about itself. One without quota or that is paused may, since that is what its
 * holder wants to know; one that is disabled, replaced or has expired may not. Throws
 * `RelayRefused`, for an unknown key with the words of every other endpoint.
 */
export async function authenticateHolder(
  exchange: KnownCall,
  deps: HolderDeps,
): Promise<RelayCaller> {
  const { apiKeys, settings, now, counters } = deps;
  const { headers, url } = exchange.request;
  const credential = requireCredential(headers, settings.keyPrefix, url);
  const caller = await authenticate(credential, apiKeys, exchange, now(), true);
  const refused = findKeyRefusal(asIfUsable(caller), undefined, exchange.address, now());
  if (refused) throw refused;
  await admitFree(
    counters,
    { ...questions, name: `key-questions ${caller.tokenId}` },
    `At most ${questions.limit} questions a minute may be asked about one key`,
  );
  return caller;
}

const asIfUsable = (caller: RelayCaller): RelayCaller => ({
  ...caller,
  isUnlimited: true,
  tokenStatus:
    caller.tokenStatus === tokenStatus.disabled ? tokenStatus.disabled : tokenStatus.enabled,
});

/**
 * `showKeyUsage` tells units. A limit that is not there is `unlimited_quota`; `expires_at` is in
 * unix seconds, 0 for never.
 */
export async function showKeyUsage(
  exchange: KnownCall & ReplyToClient,
  deps: KeyUsageDeps,
): Promise<void> {
  const caller = await authenticateHolder(exchange, deps);
  const { remain, used } = await deps.readBalance(caller, "key");
  const models = caller.models === null ? [] : [...caller.models];
  sendJson(exchange, {
    code: true,
    message: "ok",
    data: {
      object: "token_usage",
      name: caller.tokenName,
      total_granted: (remain ?? 0) + used,
      total_used: used,
      total_available: remain ?? 0,
      unlimited_quota: remain === null,
      model_limits: Object.fromEntries(models.map((model) => [model, true])),
      model_limits_enabled: caller.models !== null,
      expires_at: Math.floor((caller.expiredAt ?? 0) / 1000),
      limits: caller.limits ?? buildEachTokenLimit(() => 0),
      paused: caller.pause,
      bodies: caller.bodies,
    },
  });
}

/** A key in the address is refused: addresses are written into the access logs of proxies. */
export async function showKeyLogs(
  exchange: KnownCall & ReplyToClient,
  deps: KeyUsageDeps,
): Promise<void> {
  const caller = await authenticateHolder(exchange, deps);
  sendJson(exchange, { success: true, message: "", data: await deps.readKeyLogs(caller) });
}
