/** The console's key for `/v1`: short-lived, with a small quota, and removed with its session. */

import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import type { DataOf } from "@tollgate/contract/api/endpoint.ts";
import type { newPlaygroundToken } from "@tollgate/contract/site/playground.ts";
import { refuse } from "../../http/refusal.ts";
import { type AuthenticatedContext, hashSession } from "../../http/request-context.ts";
import type { Sealer } from "../../secrets/seal.ts";
import { type Database, tryWrite, type Write } from "../../storage/database.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import { composeKey, hashKey } from "./token-rules.ts";
import type { TokenRow, TokenStore } from "./token-store.ts";
import { composeTokenKeyContext, revealKey, tokenKeyPurpose } from "./token-view.ts";

const lifetimeMs = 15 * 60_000;
/** A key with less time left is replaced. */
const renewBelowMs = 5 * 60_000;
/** `quotaCap` is one dollar. */
const quotaCap = 500_000;

type PlaygroundKey = DataOf<typeof newPlaygroundToken>;

export function createPlaygroundToken(db: Database, tokens: TokenStore, seal: Sealer) {
  const view = (token: TokenRow): PlaygroundKey => ({
    token: revealKey(token, seal),
    expires_at: token.expired_at ?? 0,
    quota: token.remain_quota,
  });

  const isUsable = (token: TokenRow | undefined, now: number): token is TokenRow =>
    token !== undefined &&
    token.status === tokenStatus.enabled &&
    token.remain_quota > 0 &&
    (token.expired_at ?? 0) - now > renewBelowMs;

  const replace = async (
    expiring: TokenRow | undefined,
    session: string,
    { principal, now }: AuthenticatedContext,
  ): Promise<void> => {
    const uuid = readUuid7(now);
    const key = composeKey();
    const row = {
      uuid,
      user_id: principal.id,
      name: "Playground",
      key_hash: hashKey(key),
      key_sealed: seal.seal(tokenKeyPurpose, composeTokenKeyContext(uuid), key),
      status: tokenStatus.enabled,
      remain_quota: quotaCap,
      unlimited_quota: 0 as const,
      expired_at: now + lifetimeMs,
      models: "",
      subnet: "",
      session_hash: session,
      created_at: now,
      updated_at: now,
      accessed_at: now,
    };
    const batch = [
      ...(expiring ? [tokens.removeOfSession(session)] : []),
      tokens.insertOfSession(row),
    ];
    // A rejected write means that another tab created the key at the same moment.
    await tryWrite(db, batch, { changes: expiring ? ["tokens"] : [] });
  };

  return async (call: AuthenticatedContext): Promise<PlaygroundKey> => {
    const session = hashSession(call.principal);
    if (session === "") throw refuse("playground_needs_session");
    const current = await tokens.ofSession(session);
    if (isUsable(current, call.now)) return view(current);
    await replace(current, session, call);
    const created = await tokens.ofSession(session);
    if (!created) throw refuse("not_logged_in");
    return view(created);
  };
}

/**
 * `purgePlaygroundTokens` is for the schedule. The key of an agent's sign-in stays as long as that:
 * it is renewed later.
 */
export const purgePlaygroundTokens = ({ sql }: Pick<Database, "sql">, now: number): Write => ({
  query: sql
    .deleteFrom("tokens")
    .where("session_hash", "is not", null)
    .where(
      "session_hash",
      "not in",
      sql.selectFrom("agent_sign_ins").select("agent_sign_ins.session_hash"),
    )
    .where("expired_at", "<=", now)
    .where("held_quota", "=", 0),
});
