/** API keys by the hash of the whole key: a bounded cache in front of one indexed read. */
import { hash } from "node:crypto";
import { type AddressBlock, parseBlock } from "@tollgate/contract/cidr.ts";
import { tokenLimitNames } from "@tollgate/contract/tokens.ts";
import type { Database } from "../../storage/database.ts";
import { type ApiKeyLimits, limitsOf } from "./token-limits.ts";

const knownMax = 50_000;
/** Unknown keys are cached briefly, so that guessing costs no reads. */
const unknownForMs = 2_000;

/** The token and its owner. Spendable quota is not here: only the guarded hold knows it. */
export interface RelayCaller {
  userId: number;
  username: string;
  role: number;
  userStatus: number;
  group: string;
  walletId: number;
  tokenId: number;
  tokenName: string;
  tokenStatus: number;
  isUnlimited: boolean;
  remainQuota: number;
  expiredAt: number | null;
  /** Null means every model. */
  models: ReadonlySet<string> | null;
  subnets: readonly AddressBlock[];
  /** Undefined for a key without limits. */
  limits: ApiKeyLimits | undefined;
}

export interface ApiKeys {
  find(key: string): Promise<RelayCaller | undefined>;
  /** Reads the row again on the next call, for instance after the quota ran out. */
  invalidate(key: string): void;
}

export const keyHash = (key: string): string => hash("sha256", key);

export function createApiKeys(db: Database, now: () => number): ApiKeys {
  let known = new Map<string, Promise<RelayCaller | undefined>>();
  const invalidateAll = (): void => {
    known = new Map();
  };
  db.onChange("tokens", invalidateAll);
  db.onChange("users", invalidateAll);

  async function read(key: string): Promise<RelayCaller | undefined> {
    const [row] = await db.read(
      db.sql
        .selectFrom("tokens")
        .innerJoin("users", "users.id", "tokens.user_id")
        .select(["tokens.id", "tokens.name", "tokens.status", "tokens.unlimited_quota", "tokens.remain_quota"])
        .select(["tokens.expired_at", "tokens.models", "tokens.subnet"])
        .select(tokenLimitNames.map((name) => `tokens.${name}` as const))
        .select(["users.id as user_id", "users.username", "users.role", "users.status as user_status"])
        .select(["users.group", "users.wallet_id"])
        .where("tokens.key_hash", "=", keyHash(key))
        // The playground key of a session is valid as long as the session.
        .where(({ or, eb, exists, selectFrom }) => {
          const session = selectFrom("sessions").whereRef("sessions.id_hash", "=", "tokens.session_hash");
          return or([eb("tokens.session_hash", "is", null), exists(session.select("sessions.id_hash"))]);
        }),
    );
    if (!row) return undefined;
    return {
      userId: row.user_id,
      username: row.username,
      role: row.role,
      userStatus: row.user_status,
      group: row.group,
      walletId: row.wallet_id,
      tokenId: row.id,
      tokenName: row.name,
      tokenStatus: row.status,
      isUnlimited: row.unlimited_quota === 1,
      remainQuota: row.remain_quota,
      expiredAt: row.expired_at,
      models: row.models === "" ? null : new Set(row.models.split(",")),
      subnets: row.subnet === "" ? [] : row.subnet.split(",").flatMap((text) => parseBlock(text) ?? []),
      limits: limitsOf(row),
    };
  }

  return {
    find(key) {
      const cached = known.get(key);
      if (cached) return cached;
      const cache = known;
      if (cache.size >= knownMax) cache.delete(cache.keys().next().value ?? "");
      const started = now();
      const found = read(key);
      cache.set(key, found);
      found.then(
        (caller) => {
          if (!caller) setTimeout(() => cache.delete(key), Math.max(0, started + unknownForMs - now())).unref();
        },
        () => cache.delete(key),
      );
      return found;
    },
    invalidate(key) {
      known.delete(key);
    },
  };
}
