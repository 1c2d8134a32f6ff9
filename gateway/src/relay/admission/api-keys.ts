/** API keys by their hash: a bounded cache in front of one indexed read. */
import { hash } from "node:crypto";
import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import { teamStatus } from "@tollgate/contract/accounts/teams.ts";
import {
  buildEachTokenLimit,
  tokenLimitNames,
} from "@tollgate/contract/accounts/token-restrictions.ts";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { parseBlock } from "@tollgate/contract/api/cidr.ts";
import { viewCallerPause } from "../../accounts/tokens/pause-rules.ts";
import { rateLimitSource } from "../../http/request-head.ts";
import { createMemoryCounters, type RateWindow } from "../../limits/counters.ts";
import type { Database } from "../../storage/database.ts";
import { refuseDenied } from "../wire/relay-refusal.ts";
import { findKeyTags } from "./call-tags.ts";
import type {
  CallerFunds,
  CallerIdentity,
  CallerReach,
  KeyRules,
  KeyState,
  PayingTeam,
} from "./caller-parts.ts";
import { findLimits } from "./token-limits.ts";

const knownMax = 50_000;
const othersMax = 10_000;
/** A client whose key was changed tries a few. Counted by each node. */
const unknownPerSource = { limit: 100, windowMs: 60_000 };
/** Unknown keys are cached briefly, so that guessing costs no reads. */
const unknownForMs = 2_000;

/** The token and its owner. */
export interface RelayCaller extends CallerIdentity, CallerReach, CallerFunds, KeyRules, KeyState {}

/** A key as the client sent it. */
export interface PresentedKey {
  /** `key` comes without its prefix and pin: what is hashed of keys that this gateway issued. */
  key: string;
  /**
   * `whole` holds all of it: what LiteLLM hashes of its keys, which an import carries without
   * knowing them.
   */
  whole: string;
}

export interface ApiKeys {
  /** Rejects with `RelayRefused` for an unknown key after many others from the address. */
  find(presented: PresentedKey, address: string): Promise<RelayCaller | undefined>;
  /** Reads the row again on the next call, for instance after the quota ran out. */
  invalidate(presented: PresentedKey): void;
}

/**
 * `OpenGroups` gives those of the groups that a token names that an owner of the group `own` may
 * use now.
 */
export type OpenGroups = (own: string, named: readonly string[]) => readonly string[];

export const hashKey = (key: string): string => hash("sha256", key);

/** Tokens with their owners. */
const selectCallerRows = ({ sql }: Pick<Database, "sql">) =>
  sql
    .selectFrom("tokens")
    .leftJoin("users", "users.id", "tokens.user_id")
    .leftJoin("teams", "teams.id", "tokens.team_id")
    .leftJoin("team_members as member", (join) =>
      join
        .onRef("member.team_id", "=", "tokens.team_id")
        .onRef("member.user_id", "=", "tokens.user_id"),
    )
    // A key without an owner is the key of a service, which belongs to its team.
    .where(({ or, eb }) => or([eb("users.id", "is not", null), eb("tokens.service", "=", 1)]))
    .select([
      "tokens.id",
      "tokens.key_hash",
      "tokens.old_key_hash",
      "tokens.old_key_until",
      "tokens.name",
      "tokens.status",
      "tokens.unlimited_quota",
      "tokens.remain_quota",
    ])
    .select([
      "tokens.expired_at",
      "tokens.models",
      "tokens.subnet",
      "tokens.groups",
      "tokens.mcp_tools",
    ])
    .select(["tokens.tags", "tokens.required_tags"])
    .select(["tokens.bodies", "tokens.cache_seconds", "tokens.prompt_marks"])
    .select([
      "tokens.session_hash",
      "tokens.paused_by",
      "tokens.paused_by_name",
      "tokens.pause_reason",
      "tokens.paused_at",
    ])
    .select(tokenLimitNames.map((name) => `tokens.${name}` as const))
    .select(["users.id as user_id", "users.username", "users.role", "users.status as user_status"])
    .select(["users.group", "users.wallet_id", "tokens.service"])
    .select(["teams.id as team_id", "teams.name as team_name", "teams.status as team_status"])
    .select([
      "teams.group as team_group",
      "teams.models as team_models",
      "teams.wallet_id as team_wallet_id",
    ])
    .select(tokenLimitNames.map((name) => `teams.${name} as team_${name}` as const))
    .select([
      "teams.members_see_balance",
      "member.id as member_id",
      "member.left_at",
      "member.role as member_role",
    ]);

type CallerRow = Awaited<ReturnType<ReturnType<typeof selectCallerRows>["execute"]>>[number];

/**
 * An old key ends with its overlap, which is thus an expiry like any other: no clock and no other
 * node has a part in it.
 */
const computeExpiryOfKey = (
  { expired_at, old_key_until }: CallerRow,
  isOldKey: boolean,
): number | null =>
  isOldKey ? Math.min(expired_at ?? Number.POSITIVE_INFINITY, old_key_until ?? 0) : expired_at;

/** `composeServiceName` names a service of a team as logs do. */
export const composeServiceName = (name: string): string => `service:${name}`;

/** A key may use the models that its own list and that of its team have in common. */
export function joinModelLists(ofKey: string, ofTeam: string): ReadonlySet<string> | null {
  const lists = [ofKey, ofTeam]
    .filter((list) => list !== "")
    .map((list) => new Set(list.split(",")));
  const [first, second] = lists;
  if (!first) return null;
  return second ? first.intersection(second) : first;
}

function viewPayingTeam(row: CallerRow): PayingTeam | undefined {
  if (row.team_id === null) return undefined;
  return {
    name: row.team_name ?? "",
    isEnabled: row.team_status === teamStatus.enabled,
    hasMemberLeft: row.service === 0 && (row.member_id === null || row.left_at !== null),
    seesBalance: row.members_see_balance === 1 || row.member_role === "admin",
    limits: findLimits(buildEachTokenLimit((name) => row[`team_${name}`] ?? 0)),
  };
}

function buildCaller(
  row: CallerRow,
  openGroups: OpenGroups,
  { isOldKey = false, isFoundWhole = false } = {},
): RelayCaller {
  const group = row.team_group ?? row.group ?? "";
  const own = [group];
  const named = row.groups === "" ? [] : row.groups.split(",");
  return {
    userId: row.user_id ?? 0,
    username: row.username ?? composeServiceName(row.name),
    // No rights of a person go with a key that another wallet pays.
    role: row.team_id === null ? (row.role ?? roles.user) : roles.user,
    userStatus: row.user_status ?? userStatus.enabled,
    group,
    get groups() {
      // AccountAnswer anew at each call: the setting may change while the row is cached.
      return named.length === 0 ? own : openGroups(group, named);
    },
    namesGroups: named.length > 0,
    walletId: row.team_wallet_id ?? row.wallet_id ?? 0,
    teamId: row.team_id ?? 0,
    team: viewPayingTeam(row),
    memberId: row.service === 1 ? 0 : (row.member_id ?? 0),
    tokenId: row.id,
    tokenName: row.name,
    tokenStatus: row.status,
    pause: viewCallerPause(row),
    isOfSession: row.session_hash !== null,
    isUnlimited: row.unlimited_quota === 1,
    remainQuota: row.remain_quota,
    expiredAt: computeExpiryOfKey(row, isOldKey),
    models: joinModelLists(row.models, row.team_models ?? ""),
    subnets:
      row.subnet === "" ? [] : row.subnet.split(",").flatMap((text) => parseBlock(text) ?? []),
    mcpTools: row.mcp_tools === "" ? null : new Set(row.mcp_tools.split(",")),
    tags: findKeyTags(row),
    bodies: row.bodies,
    cacheSeconds: row.cache_seconds,
    promptMarks: row.prompt_marks,
    limits: findLimits(row),
    isOldKey,
    isFoundWhole,
  };
}

/** The caller that a token stands for, read now and without its key. */
export async function findCallerOfToken(
  db: Pick<Database, "sql" | "read">,
  tokenId: number,
  openGroups: OpenGroups,
): Promise<RelayCaller | undefined> {
  const [row] = await db.read(selectCallerRows(db).where("tokens.id", "=", tokenId));
  return row && buildCaller(row, openGroups);
}

/** A user who calls without one of their keys, as the playground does. */
export async function findCallerOfUser(
  { sql, read }: Pick<Database, "sql" | "read">,
  userId: number,
): Promise<RelayCaller | undefined> {
  const columns = ["id", "username", "role", "status", "group", "wallet_id"] as const;
  const [row] = await read(sql.selectFrom("users").select(columns).where("id", "=", userId));
  if (!row) return undefined;
  return {
    userId: row.id,
    username: row.username,
    role: row.role,
    userStatus: row.status,
    group: row.group,
    groups: [row.group],
    namesGroups: false,
    walletId: row.wallet_id,
    teamId: 0,
    team: undefined,
    memberId: 0,
    tokenId: 0,
    tokenName: "",
    tokenStatus: tokenStatus.enabled,
    pause: null,
    isUnlimited: true,
    remainQuota: 0,
    expiredAt: null,
    models: null,
    subnets: [],
    mcpTools: null,
    tags: undefined,
    bodies: "",
    cacheSeconds: 0,
    promptMarks: "",
    limits: undefined,
    isOldKey: false,
    isFoundWhole: false,
  };
}

export function createApiKeys(db: Database, now: () => number, openGroups: OpenGroups): ApiKeys {
  /**
   * `known` goes by the key, or by its whole text where it was found by that: with another end it
   * may be another key.
   */
  let known = new Map<string, Promise<RelayCaller | undefined>>();
  /**
   * Keys that are being read, and unknown ones: strangers choose them, so they never take the place
   * of a known key.
   */
  let others: typeof known = new Map();
  const invalidateAll = (): void => {
    known = new Map();
    others = new Map();
  };
  db.onChange("tokens", invalidateAll);
  db.onChange("users", invalidateAll);
  db.onChange("teams", invalidateAll);

  async function read({ key, whole }: PresentedKey): Promise<RelayCaller | undefined> {
    const [issued, foreign] = [hashKey(key), hashKey(whole)];
    const hashes = [...new Set([issued, foreign])];
    const query = selectCallerRows(db)
      .where(({ or, eb }) =>
        or([eb("tokens.key_hash", "in", hashes), eb("tokens.old_key_hash", "in", hashes)]),
      )
      // The playground key of a session is valid as long as the session.
      .where(({ or, eb, exists, selectFrom }) => {
        const session = selectFrom("sessions").whereRef(
          "sessions.id_hash",
          "=",
          "tokens.session_hash",
        );
        return or([
          eb("tokens.session_hash", "is", null),
          exists(session.select("sessions.id_hash")),
        ]);
      });
    const rows = await db.read(query);
    for (const hash of hashes) {
      const isFoundWhole = hash !== issued;
      const current = rows.find(({ key_hash }) => key_hash === hash);
      if (current) return buildCaller(current, openGroups, { isFoundWhole });
      const rotated = rows.find(({ old_key_hash }) => old_key_hash === hash);
      if (rotated) return buildCaller(rotated, openGroups, { isOldKey: true, isFoundWhole });
    }
    return undefined;
  }

  const unknownLimit = createMemoryCounters(now);
  const windowOf = (address: string): RateWindow => ({
    ...unknownPerSource,
    name: `unknown-key ${rateLimitSource(address)}`,
  });

  /** Known keys from the same address pass: strangers may share it. */
  const refuseTooMany = (address: string): undefined => {
    const decision = unknownLimit.takeNow(windowOf(address));
    if (decision.allowed) return undefined;
    const retryAfter = Math.ceil(decision.retryAfterMs / 1000);
    throw refuseDenied(
      429,
      "Too many API keys that are not valid came from your address",
      retryAfter,
    );
  };

  return {
    find(presented, address) {
      const { key, whole } = presented;
      const cached = known.get(key) ?? known.get(whole) ?? others.get(whole);
      if (cached) return cached;
      // A change while the row is read replaces both.
      const [found, unfound] = [known, others];
      makeRoom(unfound, othersMax);
      const started = now();
      const reading = read(presented);
      unfound.set(whole, reading);
      reading.then(
        (caller) => {
          if (caller) {
            unfound.delete(whole);
            makeRoom(found, knownMax);
            found.set(caller.isFoundWhole ? whole : key, reading);
            return;
          }
          setTimeout(
            () => unfound.delete(whole),
            Math.max(0, started + unknownForMs - now()),
          ).unref();
        },
        () => unfound.delete(whole),
      );
      return reading.then((caller) => caller ?? refuseTooMany(address));
    },
    invalidate({ key, whole }) {
      known.delete(key);
      known.delete(whole);
      others.delete(whole);
    },
  };
}

function makeRoom(cache: Map<string, unknown>, max: number): void {
  if (cache.size >= max) cache.delete(cache.keys().next().value ?? "");
}
