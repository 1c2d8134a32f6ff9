/** Rules for keys, columns and the status of a token. Pure: no I/O, no clock. */
import { createHash, randomBytes } from "node:crypto";
import { noTokenRestrictions } from "@tollgate/contract/accounts/token-restrictions.ts";
import {
  type TokenChange,
  type TokenInput,
  tokenStatus,
} from "@tollgate/contract/accounts/tokens.ts";
import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import { refuse } from "../../http/refusal.ts";

export const keyPrefix = "sk-";
/** `keyPrefixes` are those of servers of the family: clients send keys with and without them. */
export const keyPrefixes = [keyPrefix, "laisky-"] as const;
/** The channel that an administrator may name after a key: its integer id or uuid. */
export const pinSuffix =
  /-(\d{1,15}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;
const keyLength = 48;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/**
 * 285 bits. Bytes beyond the largest multiple of 62 are discarded, so that all characters are
 * equally likely.
 */
export function composeKey(): string {
  let key = "";
  while (key.length < keyLength)
    for (const byte of randomBytes(keyLength))
      if (byte < 248 && key.length < keyLength) key += alphabet[byte % alphabet.length] ?? "";
  return key;
}

/** The part of a key that is hashed. */
export const stripKeyPrefixes = (key: string): string =>
  keyPrefixes.reduce(
    (rest, prefix) => (rest.startsWith(prefix) ? rest.slice(prefix.length) : rest),
    key,
  );

/** `readEnding` gives the end by which its owner and administrators tell a key from others. */
export const readEnding = (key: string): string => key.slice(-4);

/** `hashKey` is about the key without its prefix. */
export const hashKey = (key: string) => createHash("sha256").update(key).digest("hex");

/** `computeExpiry` takes seconds on the wire, where 0 and -1 mean never, and gives milliseconds. */
export const computeExpiry = (seconds: number): number | null =>
  seconds <= 0 ? null : seconds * 1000;

interface TokenState {
  status: number;
  remain_quota: number;
  unlimited_quota: number;
  expired_at: number | null;
}

const isExpired = (expiredAt: number | null, now: number) => expiredAt !== null && expiredAt <= now;

/**
 * The status on the wire. An enabled token shows what prevents its calls: expired is never stored
 * but follows from the time, and exhausted is stored by a charge alone, so that it follows from the
 * quota too. Disabled tokens stay so.
 */
export function showStatus(
  { status, remain_quota, unlimited_quota, expired_at }: TokenState,
  now: number,
): number {
  if (status !== tokenStatus.enabled) return status;
  if (isExpired(expired_at, now)) return tokenStatus.expired;
  return unlimited_quota === 0 && remain_quota <= 0 ? tokenStatus.exhausted : status;
}

export type TokenRestrictions = typeof noTokenRestrictions;
type RequestedRestrictions = {
  [Name in keyof TokenRestrictions]?: TokenRestrictions[Name] | null | undefined;
};

/** The restrictions that a request names, as columns; null removes one. */
function readRequestedRestrictions(request: RequestedRestrictions): Partial<TokenRestrictions> {
  const names = Object.keys(noTokenRestrictions) as (keyof TokenRestrictions)[];
  const named = names.filter((name) => request[name] !== undefined);
  return Object.fromEntries(
    named.map((name) => [name, request[name] ?? noTokenRestrictions[name]]),
  );
}

type NewApiRestrictions = Pick<
  TokenInput,
  "model_limits_enabled" | "model_limits" | "allow_ips" | "group" | "models" | "subnet" | "groups"
>;

/**
 * The restrictions that a form of a newer server of the family sends under its own names, beside
 * ours, which win.
 */
function buildUnderstoodRestrictions(
  request: NewApiRestrictions,
  ownersGroup: string,
): RequestedRestrictions {
  const { model_limits_enabled, model_limits, allow_ips, group, models, subnet, groups } = request;
  const isLimited =
    model_limits_enabled ??
    (model_limits !== undefined && model_limits !== null && model_limits !== "");
  if (model_limits_enabled === true && !model_limits) {
    const message = "model_limits must name at least one model where model_limits_enabled is true";
    throw refuse("invalid_request", { message, fields: { model_limits: message } });
  }
  const namesModels = model_limits_enabled !== undefined || model_limits !== undefined;
  return {
    ...(models === undefined && namesModels && { models: isLimited ? model_limits : null }),
    ...(groups === undefined &&
      group !== undefined && { groups: group === ownersGroup ? null : group }),
    ...(subnet === undefined && allow_ips !== undefined && { subnet: allow_ips }),
  };
}

export const readRestrictions = (row: TokenRestrictions): TokenRestrictions => ({
  ...noTokenRestrictions,
  ...readRequestedRestrictions(row),
});

export const buildInitialColumns = (input: TokenInput, ownersGroup: string) => ({
  name: input.name,
  status: tokenStatus.enabled,
  remain_quota: input.remain_quota,
  unlimited_quota: input.unlimited_quota ? (1 as const) : (0 as const),
  expired_at: computeExpiry(input.expired_time),
  external_id: input.external_id || null,
  ...noTokenRestrictions,
  ...readRequestedRestrictions(input),
  ...readRequestedRestrictions(buildUnderstoodRestrictions(input, ownersGroup)),
});

/**
 * The quota after an edit. With the value that the form read, the edit is a difference, so that it
 * undoes no spending; without it, the edit is absolute.
 */
export function computeQuota(
  stored: number,
  change: Pick<TokenChange, "remain_quota" | "remain_quota_read">,
): number {
  if (change.remain_quota === undefined) return stored;
  if (change.remain_quota_read === undefined) return change.remain_quota;
  return Math.min(quotaMax, Math.max(0, stored + change.remain_quota - change.remain_quota_read));
}

/** The columns that an edit sets. Refuses a status that quota or expiry contradict. */
export function changeColumns(
  token: TokenState,
  change: TokenChange,
  now: number,
  ownersGroup: string,
) {
  const after = {
    remain_quota: computeQuota(token.remain_quota, change),
    isUnlimited: change.unlimited_quota ?? token.unlimited_quota === 1,
    expired_at:
      change.expired_time === undefined ? token.expired_at : computeExpiry(change.expired_time),
  };
  return {
    ...(change.name !== undefined && { name: change.name }),
    ...(change.unlimited_quota !== undefined && {
      unlimited_quota: change.unlimited_quota ? (1 as const) : (0 as const),
    }),
    ...(change.expired_time !== undefined && { expired_at: after.expired_at }),
    ...(change.external_id !== undefined && { external_id: change.external_id || null }),
    ...readRequestedRestrictions(change),
    ...readRequestedRestrictions(buildUnderstoodRestrictions(change, ownersGroup)),
    status: computeStatus(token, change.status, after, now),
  };
}

interface TokenAfterEdit {
  remain_quota: number;
  isUnlimited: boolean;
  expired_at: number | null;
}

export function computeStatus(
  token: TokenState,
  requestedStatus: number | undefined,
  after: TokenAfterEdit,
  now: number,
): number {
  const expired = isExpired(after.expired_at, now);
  const exhausted = after.remain_quota <= 0 && !after.isUnlimited;
  const before = showStatus(token, now);
  // A form may have been read before the pause: only an express word ends it.
  const endsPause =
    requestedStatus === tokenStatus.enabled || requestedStatus === tokenStatus.disabled;
  if (token.status === tokenStatus.paused && !endsPause) return tokenStatus.paused;
  switch (requestedStatus) {
    case tokenStatus.paused:
      // To resume it would otherwise enable what its owner or an administrator disabled.
      if (token.status === tokenStatus.disabled) throw refuse("token_disabled");
      return tokenStatus.paused;
    case tokenStatus.disabled:
      return tokenStatus.disabled;
    case tokenStatus.enabled:
      if (before === tokenStatus.expired && expired) throw refuse("token_expired");
      if (before === tokenStatus.exhausted && exhausted) throw refuse("token_exhausted");
      return tokenStatus.enabled;
    case tokenStatus.expired:
      // A form sends the status back unchanged: a new expiry enables the token again, the old one
      // keeps it expired.
      return expired ? token.status : tokenStatus.enabled;
    case tokenStatus.exhausted:
      return exhausted ? token.status : tokenStatus.enabled;
    default:
      return token.status === tokenStatus.exhausted && !exhausted
        ? tokenStatus.enabled
        : token.status;
  }
}
