/**
 * Challenges for passkeys: 32 random bytes, bound to the browser that asked, valid for five minutes
 * and for one answer.
 */
import { randomBytes } from "node:crypto";
import { enforceSharedLimit } from "../../../http/rate-limit.ts";
import { refuse } from "../../../http/refusal.ts";
import type { RelyingParty } from "../../../http/relying-party.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { Counters } from "../../../limits/counters.ts";
import type { Database } from "../../../storage/database.ts";
import type { PasskeyChallengeRow } from "../../../storage/tables/passkey-tables.ts";
import { composeSessionId, hashSecret, type SecretCookie } from "../sessions/session-cookie.ts";
import { readChallenge } from "./passkey-rules.ts";
import type { PasskeyStore } from "./passkey-store.ts";

const challengeBytes = 32;
export const challengeLifetimeMs = 5 * 60_000;
/**
 * Each challenge is a row, and each visit to the sign-in page asks for one; whole offices share an
 * address.
 */
const challengesPerSource = 600;
/** `challengesOfAll` is that of all sources together: some twenty megabytes of rows. */
const challengesOfAll = { limit: 100_000, windowMs: 20 * 60_000, name: "passkey-challenge" };

type ChallengeSubject = Pick<PasskeyChallengeRow, "purpose" | "user_id" | "user_handle">;

/** A challenge that this browser asked for, used up; what the answer to it must show. */
export interface AnsweredChallenge extends ChallengeSubject {
  challenge: string;
  party: RelyingParty;
}

export interface PasskeyChallengeDeps {
  db: Database;
  passkeys: PasskeyStore;
  browser: SecretCookie;
  counters: Counters;
  /** Undefined where browsers make no passkeys for this server. */
  party: RelyingParty | undefined;
}

export type PasskeyChallenges = ReturnType<typeof createPasskeyChallenges>;

export function createPasskeyChallenges({
  db,
  passkeys,
  browser,
  counters,
  party,
}: PasskeyChallengeDeps) {
  const requireParty = (): RelyingParty => {
    if (!party) throw refuse("passkeys_off");
    return party;
  };

  return {
    requireParty,

    async begin(subject: ChallengeSubject, call: RequestContext): Promise<string> {
      requireParty();
      await enforceSharedLimit(counters, challengesOfAll, call.address, challengesPerSource);
      const challenge = randomBytes(challengeBytes).toString("base64url");
      // One secret for all tabs of a browser, or each tab would invalidate the challenges of the
      // others.
      const secret = browser.read(call.headers) ?? composeSessionId();
      const row = {
        ...subject,
        challenge_hash: hashSecret(challenge),
        browser_hash: hashSecret(secret),
        expires_at: call.now + challengeLifetimeMs,
      };
      await db.write([passkeys.addChallenge(row)]);
      call.responseHeaders.append("Set-Cookie", browser.set(secret));
      return challenge;
    },

    /** Uses up the challenge of an answer before anything else is looked at. */
    async take(
      clientDataJSON: string,
      purpose: ChallengeSubject["purpose"],
      call: RequestContext,
    ): Promise<AnsweredChallenge> {
      const answered = requireParty();
      const challenge = readChallenge(clientDataJSON) ?? "";
      const secret = browser.read(call.headers);
      const row = await passkeys.challenge(hashSecret(challenge));
      const isOwn =
        secret !== undefined && row?.browser_hash === hashSecret(secret) && row.purpose === purpose;
      const isOfCaller = row?.user_id == null || row.user_id === call.principal?.id;
      if (!row || !isOwn || !isOfCaller || row.expires_at <= call.now)
        throw refuse("passkey_challenge_invalid");
      await db.write([passkeys.consumeChallenge(row.challenge_hash)]);
      return {
        purpose,
        user_id: row.user_id,
        user_handle: row.user_handle,
        challenge,
        party: answered,
      };
    },
  };
}
