/** For the clock, every hour or so: sessions nobody can use any more, what hung on them, and creations nobody will repeat. */

import { purgeIdempotencyKeys } from "./http/idempotency.ts";
import { purgeOauthStates } from "./identity/external/external-store.ts";
import { purgeSignInFailures } from "./identity/lockouts/lockout-store.ts";
import type { SessionStore } from "./identity/sessions/session-store.ts";
import type { Database } from "./storage/database.ts";
import { purgePlaygroundTokens } from "./tokens/playground-token.ts";

/** A state that has expired may still be waiting for the code of a second factor. */
const stateRepeatableMs = 10 * 60_000;

export const purgeExpired = async (db: Database, sessions: SessionStore, now: number): Promise<void> => {
  await db.write([
    sessions.sweep(now),
    purgeIdempotencyKeys(db, now),
    purgeOauthStates(db, now - stateRepeatableMs),
    purgePlaygroundTokens(db, now),
    purgeSignInFailures(db, now),
  ]);
};
