/** One's own sign-ins: what they look like and how they end. */
import type { Session } from "@tollgate/contract/sessions.ts";
import type { Caller, Circumstances } from "../http/caller.ts";
import { refuse } from "../http/refusal.ts";
import type { Database, Write } from "../storage/database.ts";
import type { SessionRow } from "../storage/schema.ts";
import { hashOf } from "./session-cookie.ts";
import { ownSessionOf, type SessionStore } from "./session-store.ts";

type Call = Circumstances & { caller: Caller };

/** A name for a session that says nothing about its cookie, nor about what is stored of it. */
const handleOf = (idHash: string) => hashOf(idHash).slice(0, 32);

export function sessionListWith(db: Database, sessions: SessionStore) {
  const told = ({ caller, now, address }: Call, action: string, change: Record<string, unknown>): Write[] =>
    db.audit({ at: now, actorId: caller.id, address, action, target: caller.uuid, change });

  return {
    async list({ caller, now }: Call): Promise<Session[]> {
      const own = ownSessionOf(caller);
      return (await sessions.ofUser(caller.id, now)).map((row) => view(row, own));
    },

    async end(handle: string, call: Call): Promise<void> {
      const mine = await sessions.ofUser(call.caller.id, call.now);
      // Somebody else's session answers like one that never was.
      const row = mine.find(({ id_hash }) => handleOf(id_hash) === handle);
      if (!row) throw refuse("session_not_found");
      const batch = [sessions.end(row.id_hash), ...told(call, "session.end", { id: handle, address: row.address })];
      await db.write(batch, { changes: await sessions.changedWith([row.id_hash]) });
    },

    async endOthers(call: Call): Promise<{ ended: number }> {
      const own = ownSessionOf(call.caller);
      const others = (await sessions.ofUser(call.caller.id, call.now)).filter(({ id_hash }) => id_hash !== own);
      const ended = others.length;
      const batch = [sessions.endOthers(call.caller.id, own), ...told(call, "session.end_others", { ended })];
      await db.write(batch, { changes: await sessions.changedWith(others.map(({ id_hash }) => id_hash)) });
      return { ended };
    },
  };
}

const view = ({ id_hash, address, user_agent, created_at, seen_at, expires_at }: SessionRow, own: string): Session => ({
  id: handleOf(id_hash),
  is_current: id_hash === own,
  address,
  user_agent,
  created_at,
  seen_at,
  expires_at,
});
