/** A user's own sessions: listing and ending them. */
import type { Session } from "@tollgate/contract/accounts/sessions.ts";
import type { Selectable } from "kysely";
import { refuse } from "../../../http/refusal.ts";
import { type AuthenticatedContext, hashSession } from "../../../http/request-context.ts";
import type { Database } from "../../../storage/database.ts";
import type { SessionRow } from "../../../storage/tables/account-tables.ts";
import { endOtherSignIns } from "../users/end-sign-ins.ts";
import { hashSecret } from "./session-cookie.ts";
import type { SessionStore } from "./session-store.ts";

/** The public id of a session. It reveals neither the cookie nor the stored hash. */
const deriveSessionHandle = (idHash: string) => hashSecret(idHash).slice(0, 32);

export function createSessionList(db: Database, sessions: SessionStore) {
  return {
    async list({ principal, now }: AuthenticatedContext): Promise<Session[]> {
      const own = hashSession(principal);
      return (await sessions.ofUser(principal.id, now)).map((row) => buildSession(row, own));
    },

    async end(handle: string, call: AuthenticatedContext): Promise<void> {
      const mine = await sessions.ofUser(call.principal.id, call.now);
      // A session of another user gets the same refusal as one that never existed.
      const row = mine.find(({ id_hash }) => deriveSessionHandle(id_hash) === handle);
      if (!row) throw refuse("session_not_found");
      const batch = [
        sessions.end(row.id_hash),
        ...call.audit("session.end", call.principal.uuid, { id: handle, address: row.address }),
      ];
      await db.write(batch, { changes: await sessions.changedWith([row.id_hash]) });
    },

    async endOthers(call: AuthenticatedContext): Promise<{ ended: number }> {
      const own = hashSession(call.principal);
      const others = (await sessions.ofUser(call.principal.id, call.now)).filter(
        ({ id_hash }) => id_hash !== own,
      );
      const ended = others.length;
      const batch = [
        ...endOtherSignIns(db, call.principal),
        ...call.audit("session.end_others", call.principal.uuid, { ended }),
      ];
      await db.write(batch, {
        changes: await sessions.changedWith(others.map(({ id_hash }) => id_hash)),
      });
      return { ended };
    },
  };
}

const buildSession = (
  { id_hash, address, user_agent, created_at, seen_at, expires_at }: Selectable<SessionRow>,
  own: string,
): Session => ({
  id: deriveSessionHandle(id_hash),
  is_current: id_hash === own,
  address,
  user_agent,
  created_at,
  seen_at,
  expires_at,
});
