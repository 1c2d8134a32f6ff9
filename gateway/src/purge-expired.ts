/**
 * Runs every hour or so: deletes expired sessions, playground tokens, OAuth states, challenges of passkeys, sign-in failures,
 * idempotency keys, known browsers, logout tokens, counts of issued quota, management keys, hashes of old keys, and counters of
 * budgets.
 */

import { purgeBudgets } from "./budgets/budget-store.ts";
import { purgeIdempotencyKeys } from "./http/idempotency.ts";
import { purgeOauthStates } from "./identity/external/external-store.ts";
import { purgeSignInFailures } from "./identity/lockouts/lockout-store.ts";
import { purgePasskeyChallenges } from "./identity/passkeys/passkey-store.ts";
import { purgeKnownDevices } from "./identity/sessions/known-devices.ts";
import type { SessionStore } from "./identity/sessions/session-store.ts";
import { purgeManagementKeys } from "./management-keys/management-key-store.ts";
import { purgeIssueCounts } from "./quota-requests/issuance.ts";
import type { Database } from "./storage/database.ts";
import { purgePlaygroundTokens } from "./tokens/playground-token.ts";
import { purgeOldKeys } from "./tokens/token-store.ts";

/** An expired state may still be waiting for the code of a second factor. */
const stateRepeatableMs = 10 * 60_000;

export const purgeExpired = async (db: Database, sessions: SessionStore, now: number): Promise<void> => {
  await db.write([
    sessions.sweep(now),
    sessions.sweepLogouts(now),
    purgeIdempotencyKeys(db, now),
    purgeOauthStates(db, now - stateRepeatableMs),
    purgePasskeyChallenges(db, now),
    purgePlaygroundTokens(db, now),
    purgeOldKeys(db, now),
    purgeSignInFailures(db, now),
    purgeKnownDevices(db, now),
    purgeIssueCounts(db, now),
    purgeManagementKeys(db, now),
    ...purgeBudgets(db, now),
  ]);
};
