/** For the clock, every hour or so: sessions nobody can use any more and creations nobody will repeat. */
import { forgetOldKeys } from "../http/idempotency.ts";
import type { Database } from "../storage/database.ts";
import type { SessionStore } from "./session-store.ts";

export const forgetExpired = async (db: Database, sessions: SessionStore, now: number): Promise<void> => {
  await db.write([sessions.sweep(now), forgetOldKeys(db, now)]);
};
