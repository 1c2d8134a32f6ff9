/**
 * Runs every hour or so: deletes expired sessions, codes of programs, playground tokens, OAuth
 * states, challenges of passkeys, sign-in failures, idempotency keys, known browsers, logout
 * tokens, counts of issued quota, management keys, invitations into teams, keys offered to teams, hashes of old keys,
 * counters of budgets, and old runs of agents.
 */

import { purgeBudgets } from "../accounts/budgets/purge-budgets.ts";
import { purgeAgentSignIns } from "../accounts/identity/agents/agent-sign-in-store.ts";
import { purgeOauthStates } from "../accounts/identity/external/external-store.ts";
import { purgeSignInFailures } from "../accounts/identity/lockouts/lockout-store.ts";
import { purgePasskeyChallenges } from "../accounts/identity/passkeys/passkey-store.ts";
import { purgeKnownDevices } from "../accounts/identity/sessions/known-devices.ts";
import type { SessionStore } from "../accounts/identity/sessions/session-store.ts";
import { purgeManagementKeys } from "../accounts/management-keys/management-key-store.ts";
import { purgeIssueCounts } from "../accounts/quota-requests/issuance.ts";
import { purgeInvitations } from "../accounts/teams/invitation-store.ts";
import { purgeKeyOffers } from "../accounts/teams/key-move-store.ts";
import { purgePlaygroundTokens } from "../accounts/tokens/playground-token.ts";
import { purgeOldKeys } from "../accounts/tokens/token-store.ts";
import { purgeRuns } from "../figures/runs/run-store.ts";
import { purgeIdempotencyKeys } from "../http/idempotency.ts";
import type { Database } from "../storage/database.ts";

/** An expired state may still be waiting for the code of a second factor. */
const stateRepeatableMs = 10 * 60_000;

export const purgeExpired = async (
  db: Database,
  sessions: SessionStore,
  now: number,
): Promise<void> => {
  await db.write([
    sessions.sweep(now),
    sessions.sweepLogouts(now),
    purgeIdempotencyKeys(db, now),
    purgeOauthStates(db, now - stateRepeatableMs),
    purgePasskeyChallenges(db, now),
    ...purgeAgentSignIns(db, now),
    purgePlaygroundTokens(db, now),
    purgeOldKeys(db, now),
    purgeSignInFailures(db, now),
    purgeKnownDevices(db, now),
    purgeIssueCounts(db, now),
    purgeManagementKeys(db, now),
    purgeInvitations(db, now),
    purgeKeyOffers(db, now),
    ...purgeBudgets(db, now),
    ...purgeRuns(db, now),
  ]);
};
