/**
 * The API key of a program that is signed in for a person: a token of the program's session,
 * renewed in place.
 */
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import type { Database, Write } from "../../../storage/database.ts";
import { readUuid7 } from "../../../storage/time-ids.ts";
import { composeKey, hashKey, keyPrefix } from "../../tokens/token-rules.ts";
import type { TokenStore } from "../../tokens/token-store.ts";
import { composeTokenKeyContext, revealKey, tokenKeyPurpose } from "../../tokens/token-view.ts";
import { agentKeyLifetimeMs, earlierKeyMs } from "./agent-sign-in-rules.ts";

/** A session as far as its key needs it. */
interface AgentSession {
  hash: string;
  expiresAt: number;
}

export interface AgentKey {
  key: string;
  /** Seconds. */
  expiresIn: number;
  writes: Write[];
}

const computeExpiry = ({ expiresAt }: AgentSession, now: number): number =>
  Math.min(now + agentKeyLifetimeMs, expiresAt);

interface AgentKeysDeps {
  db: Pick<Database, "sql" | "read">;
  tokens: Pick<TokenStore, "insert" | "ofSession">;
  seal: Sealer;
}

export function createAgentKeys({ db: { sql }, tokens, seal }: AgentKeysDeps) {
  const issue = (uuid: string) => {
    const key = composeKey();
    const columns = {
      key_hash: hashKey(key),
      key_sealed: seal.seal(tokenKeyPurpose, composeTokenKeyContext(uuid), key),
    };
    return { key: `${keyPrefix}${key}`, columns };
  };
  const countSeconds = (expiry: number, now: number) =>
    Math.max(1, Math.floor((expiry - now) / 1000));

  return {
    /** Money, limits, budgets and templates treat it as any key of the person. */
    make(owner: { userId: number; agent: string }, session: AgentSession, now: number): AgentKey {
      const uuid = readUuid7(now);
      const { key, columns } = issue(uuid);
      const expired_at = computeExpiry(session, now);
      const row = {
        uuid,
        user_id: owner.userId,
        name: owner.agent === "" ? "Program" : owner.agent,
        ...columns,
        status: tokenStatus.enabled,
        remain_quota: 0,
        unlimited_quota: 1 as const,
        expired_at,
        models: "",
        subnet: "",
        session_hash: session.hash,
        created_at: now,
        updated_at: now,
        accessed_at: now,
      };
      return { key, expiresIn: countSeconds(expired_at, now), writes: tokens.insert([row]) };
    },

    /**
     * `repeat` gives the key that was made last, for a program that asks again: a key more for each
     * of its processes would end the first ones. Undefined where the session has none.
     */
    async repeat(
      { hash }: AgentSession,
      now: number,
    ): Promise<Omit<AgentKey, "writes"> | undefined> {
      const token = await tokens.ofSession(hash);
      const key = token && revealKey(token, seal);
      if (!key) return undefined;
      return { key, expiresIn: countSeconds(token.expired_at ?? now, now) };
    },

    /**
     * The key before works for a while, for calls that are on their way. Undefined where the
     * session has none.
     */
    async renew(session: AgentSession, now: number): Promise<AgentKey | undefined> {
      const token = await tokens.ofSession(session.hash);
      if (!token) return undefined;
      const { key, columns } = issue(token.uuid);
      const expired_at = computeExpiry(session, now);
      const query = sql
        .updateTable("tokens")
        .set({
          ...columns,
          old_key_hash: token.key_hash,
          old_key_until: now + earlierKeyMs,
          expired_at,
          updated_at: now,
        })
        .where("session_hash", "=", session.hash)
        .where("key_hash", "=", token.key_hash);
      return {
        key,
        expiresIn: countSeconds(expired_at, now),
        writes: [{ query, rows: 1, missed: "agent_grant_ended" }],
      };
    },
  };
}
