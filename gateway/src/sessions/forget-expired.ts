/** For the clock, every hour or so: sessions nobody can use any more, what hung on them, and creations nobody will repeat. */
import { forgetStates } from "../external/external-store.ts";
import { forgetOldKeys } from "../http/idempotency.ts";
import type { Database } from "../storage/database.ts";
import { forgetPlaygroundTokens } from "../tokens/playground-token.ts";
import { forgetFailures } from "./lockout-store.ts";
import type { SessionStore } from "./session-store.ts";

/** A state that has expired may still be waiting for the code of a second factor. */
const repeatableMs = 10 * 60_000;

export const forgetExpired = async (db: Database, sessions: SessionStore, now: number): Promise<void> => {
  await db.write([
    sessions.sweep(now),
    forgetOldKeys(db, now),
    forgetStates(db, now - repeatableMs),
    forgetPlaygroundTokens(db, now),
    forgetFailures(db, now),
  ]);
};
