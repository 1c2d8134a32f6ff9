/** The second half of a round trip: one callback is worked on once, and the same one again gets what came of it. */
import type { ErrorCode } from "@tollgate/contract/errors.ts";
import type { Circumstances } from "../http/caller.ts";
import { refuse } from "../http/refusal.ts";
import type { Sealer } from "../secrets/seal.ts";
import { hashOf, type SecretCookie } from "../sessions/session-cookie.ts";
import { type Database, StaleWrite, type Write } from "../storage/database.ts";
import type { ExternalStore, OauthState } from "./external-store.ts";

/** How a callback ended. What a retry may change is no ending: it is thrown. */
export type Ending =
  | { kind: "session"; id: string }
  | { kind: "bound" }
  | { kind: "totp"; userId: number }
  | { kind: "refused"; code: ErrorCode; message: string };

/** A browser that lost the answer asks again within seconds. */
const repeatsMs = 60_000;
const challengeMs = 5 * 60_000;
/** Longer than a provider may take, so that nobody starts a second time meanwhile. */
const attemptMs = 20_000;

const purpose = "oauth-result";
const contextOf = (stateHash: string) => `oauth_states/result/${stateHash}` as const;

interface Parts {
  db: Database;
  external: ExternalStore;
  seal: Sealer;
  browser: SecretCookie;
}

export type RoundTrip = ReturnType<typeof roundTripWith>;

export function roundTripWith({ db, external, seal, browser }: Parts) {
  const underWay = new Map<string, Promise<Ending>>();

  /** Nobody else's, and nothing that says whether there is one. */
  const own = async (state: string, { headers }: Circumstances): Promise<OauthState> => {
    const secret = browser.read(headers);
    const row = secret === undefined ? undefined : await external.state(hashOf(state));
    if (!row || row.browser_hash !== hashOf(secret ?? "")) throw refuse("oauth_state_invalid");
    return row;
  };

  const endingOf = ({ state_hash, result }: OauthState): Ending | undefined =>
    result === null ? undefined : (JSON.parse(seal.open(purpose, contextOf(state_hash), result)) as Ending);

  /** The statement that goes with what the ending did. */
  const endWith = (stateHash: string, end: Ending): Write =>
    external.end(stateHash, seal.seal(purpose, contextOf(stateHash), JSON.stringify(end)));

  const work = async (row: OauthState, request: string, now: number, run: () => Promise<Ending>): Promise<Ending> => {
    const hash = row.state_hash;
    try {
      await db.write([external.claim(hash, request, now, now + attemptMs)]);
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error;
      const current = await external.state(hash);
      if (current?.request_hash !== request) throw refuse("oauth_state_invalid");
      const done = endingOf(current);
      // Another node works on it; the console asks again in a moment.
      if (!done) throw refuse("oauth_pending");
      return done;
    }
    try {
      return await run();
    } catch (error) {
      await db.write([external.release(hash)]);
      throw error;
    }
  };

  return {
    endWith,

    /** `run` stores its ending with `endWith` in the batch of whatever it does. */
    async once(
      given: { state: string; request: string },
      call: Circumstances,
      isAllowed: (row: OauthState) => boolean,
      run: (row: OauthState) => Promise<Ending>,
    ): Promise<Ending> {
      const row = await own(given.state, call);
      const request = hashOf(given.request);
      const { now } = call;
      const isGood =
        row.used_at === null ? row.expires_at > now : row.request_hash === request && now - row.used_at <= repeatsMs;
      if (!isGood || !isAllowed(row)) throw refuse("oauth_state_invalid");
      const done = endingOf(row);
      if (done) return done;
      const key = `${row.state_hash} ${request}`;
      const running = underWay.get(key);
      if (running) return running;
      const started = work(row, request, now, () => run(row)).finally(() => underWay.delete(key));
      underWay.set(key, started);
      return started;
    },

    /** Who may now present the code of the second factor, and the statement that uses this up. */
    async challenge(state: string, call: Circumstances): Promise<{ userId: number; spend: Write }> {
      const row = await own(state, call);
      const end = endingOf(row);
      if (end?.kind !== "totp" || call.now - (row.used_at ?? 0) > challengeMs) throw refuse("oauth_state_invalid");
      return { userId: end.userId, spend: external.spend(row.state_hash) };
    },
  };
}
