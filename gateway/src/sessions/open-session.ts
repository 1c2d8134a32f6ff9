/** A new session in place of the one that this browser had, so that one browser holds one session. */
import type { Caller, Circumstances } from "../http/caller.ts";
import type { Write } from "../storage/database.ts";
import { hashOf, newSessionId } from "./session-cookie.ts";
import { absoluteMs, type SessionStore } from "./session-store.ts";

export function openSession(
  sessions: SessionStore,
  userId: number,
  { caller, now, address, userAgent }: Circumstances & { caller: Caller | undefined },
): { id: string; writes: Write[] } {
  const id = newSessionId();
  const earlier = caller?.proof.by === "cookie" ? [sessions.end(caller.proof.sessionHash)] : [];
  const opened = sessions.open({
    id_hash: hashOf(id),
    user_id: userId,
    created_at: now,
    seen_at: now,
    expires_at: now + absoluteMs,
    proved_at: now,
    address,
    user_agent: userAgent,
  });
  return { id, writes: [...earlier, ...opened] };
}
