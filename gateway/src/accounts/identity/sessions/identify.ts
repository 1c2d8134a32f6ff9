/**
 * Authenticates a call by a management key, else by the session cookie, else by a personal access
 * token.
 */

import { proxyAccountProvider } from "@tollgate/contract/accounts/external-providers.ts";
import { managementKeyPrefix } from "@tollgate/contract/accounts/management-keys.ts";
import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import { refuse } from "../../../http/refusal.ts";
import type { Identify, Principal } from "../../../http/request-context.ts";
import type { ProxyUser } from "../../../http/trusted-header.ts";
import type { OptionReader } from "../../../settings/live-options.ts";
import type { Database } from "../../../storage/database.ts";
import {
  hashManagementKey,
  isManagementKey,
  readCredential,
} from "../../management-keys/management-key-rules.ts";
import type {
  ManagementKeyRow,
  ManagementKeyStore,
} from "../../management-keys/management-key-store.ts";
import type { ProviderPeople } from "../oidc/provider-people.ts";
import { hashSecret, type SessionCookie } from "./session-cookie.ts";
import type { SessionStore } from "./session-store.ts";

/**
 * A write per call would cost a transaction each. The idle limit is a day, so minutes do not
 * matter.
 */
const seenIntervalMs = 5 * 60_000;

/** Our own have 32 hex digits; imported ones have the form of the system that issued them. */
const accessTokenPattern = /^[\x21-\x7e]{16,128}$/;

interface SessionUserRow {
  id: number;
  uuid: string;
  username: string;
  role: number;
  read_only: number;
  status: number;
  group: string;
  must_change_password: number;
}

export type PrincipalOfKey = ReturnType<typeof createPrincipalOfKey>;

/**
 * `createPrincipalOfKey` says who calls with a management key: its maker, as far as the key goes.
 * Rejects with why it does not work.
 */
export const createPrincipalOfKey =
  (sessions: Pick<SessionStore, "userById">, people: Pick<ProviderPeople, "isAway">) =>
  async (row: ManagementKeyRow | undefined, now: number): Promise<Principal> => {
    const maker = row?.disabled === 0 ? await sessions.userById(row.user_id) : undefined;
    if (!row || !maker) throw refuse("management_key_invalid");
    if (row.expires_at <= now) throw refuse("management_key_expired");
    const credential = readCredential(row);
    // A key of a team reaches what its maker's place in the team gives, and nothing else.
    const role = credential.teamId === undefined ? maker.role : Math.min(maker.role, roles.user);
    const principal = buildPrincipal({ ...maker, role }, credential);
    if (await people.isAway(maker, now)) throw refuse("key_owner_away");
    return principal;
  };

/** Role and status are read for each call: demoting or disabling a user takes effect at once. */
export function createIdentify(
  db: Database,
  sessions: SessionStore,
  cookie: SessionCookie,
  keys: ManagementKeyStore,
  options: OptionReader,
  people: Pick<ProviderPeople, "isAway">,
  principalOfKey: PrincipalOfKey,
): Identify {
  const fromManagementKey = async (
    headers: Headers,
    now: number,
  ): Promise<Principal | undefined> => {
    const key = readBearer(headers);
    if (key === undefined || !key.startsWith(managementKeyPrefix)) return;
    const row = isManagementKey(key) ? await keys.enabledByHash(hashManagementKey(key)) : undefined;
    const principal = await principalOfKey(row, now);
    if (row && now - (row.used_at ?? 0) > seenIntervalMs)
      await db.write([keys.markUsed(row.id, now)]);
    return principal;
  };

  const fromSession = async (
    headers: Headers,
    now: number,
    proxyUser: ProxyUser | undefined,
  ): Promise<Principal | undefined> => {
    const id = cookie.read(headers);
    if (id === undefined) return;
    const sessionHash = hashSecret(id);
    const row = await sessions.find(sessionHash, now);
    if (!row) return;
    if (
      row.provider === proxyAccountProvider &&
      (proxyUser?.name !== row.provider_subject || row.role >= roles.root)
    ) {
      // Playground keys end with the session.
      await db.write([sessions.end(sessionHash)], {
        changes: await sessions.changedWith([sessionHash]),
      });
      return;
    }
    if (now - row.seen_at > seenIntervalMs) await db.write([sessions.markSeen(sessionHash, now)]);
    const principal = buildPrincipal(row, {
      kind: "cookie",
      sessionHash,
      authenticatedAt: row.proved_at,
    });
    const mustAddSecondFactor = row.second_factor === 0 && demandsSecondFactor(options, row.role);
    return { ...principal, mustAddSecondFactor };
  };

  const fromAccessToken = async (headers: Headers, now: number): Promise<Principal | undefined> => {
    const token = readBearer(headers);
    if (!token) return;
    const tokenHash = hashSecret(token);
    const row = accessTokenPattern.test(token)
      ? await sessions.byAccessToken(tokenHash)
      : undefined;
    if (!row) throw refuse("access_token_invalid");
    const principal = buildPrincipal(row, { kind: "access_token" });
    if (await people.isAway(row, now)) throw refuse("key_owner_away");
    if (now - (row.access_token_used_at ?? 0) > seenIntervalMs)
      await db.write([sessions.markAccessTokenUsed(tokenHash, now)]);
    return principal;
  };

  // A program that names its key means that key, also when its HTTP library kept a cookie with more
  // rights.
  return async (headers, now, proxyUser) =>
    (await fromManagementKey(headers, now)) ??
    (await fromSession(headers, now, proxyUser)) ??
    (await fromAccessToken(headers, now));
}

const readBearer = (headers: Headers): string | undefined =>
  headers
    .get("authorization")
    ?.replace(/^Bearer\s+/i, "")
    .trim();

function buildPrincipal(row: SessionUserRow, credential: Principal["credential"]): Principal {
  const { id, uuid, username, role, group } = row;
  if (row.status !== userStatus.enabled) throw refuse("user_disabled");
  const mustChangePassword = row.must_change_password === 1;
  // A program has no second factor; its key was made in a session that had what was demanded then.
  return {
    id,
    uuid,
    username,
    role,
    isReadOnly: row.read_only === 1,
    group,
    mustChangePassword,
    mustAddSecondFactor: false,
    credential,
  };
}

/** 0 demands it of no role. */
function demandsSecondFactor(options: OptionReader, role: number): boolean {
  const least = options.number("SecondFactorRequiredRole");
  return least > 0 && role >= least;
}
