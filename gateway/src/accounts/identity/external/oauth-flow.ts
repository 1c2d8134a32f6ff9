/**
 * The callback of an OAuth flow: each callback is processed once, and its repeats get the stored
 * result.
 */
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import { refuse } from "../../../http/refusal.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import { type Database, tryWrite, type Write } from "../../../storage/database.ts";
import type { ProviderSession } from "../sessions/create-session.ts";
import { hashSecret, type SecretCookie } from "../sessions/session-cookie.ts";
import type { ExternalStore, OauthState } from "./external-store.ts";
import type { OidcArrival } from "./oidc-sign-in.ts";

/** The final result of a callback. A failure that a retry may change is thrown instead. */
export type OauthResult =
  | { kind: "session"; id: string }
  | { kind: "bound" }
  | { kind: "totp"; userId: number; opener?: ProviderSession | undefined }
  | PendingLink
  | { kind: "refused"; code: ErrorCode; message: string };

/** A sign-in that was found for an account by an address which nobody has proved here yet. */
export interface PendingLink {
  kind: "code";
  userId: number;
  arrival: OidcArrival;
}

interface ExternalChallenge {
  userId: number;
  /** `opener` is that of OpenID Connect alone. */
  opener: ProviderSession | undefined;
  consume: Write;
}

/** A browser that lost the response repeats the callback within seconds. */
const repeatWindowMs = 60_000;
const challengeLifetimeMs = 5 * 60_000;
/** Longer than a provider may take, so that no second attempt starts meanwhile. */
const attemptMs = 20_000;

const purpose = "oauth-result";
const composeContext = (stateHash: string) => `oauth_states/result/${stateHash}` as const;

interface OauthFlowDeps {
  db: Database;
  external: ExternalStore;
  seal: Sealer;
  browser: SecretCookie;
}

export type OauthFlow = ReturnType<typeof createOauthFlow>;

export function createOauthFlow({ db, external, seal, browser }: OauthFlowDeps) {
  const inFlight = new Map<string, Promise<OauthResult>>();

  /** Only the state of this browser; the refusal does not reveal whether the state exists. */
  const findOwnState = async (state: string, { headers }: RequestContext): Promise<OauthState> => {
    const secret = browser.read(headers);
    const row = secret === undefined ? undefined : await external.state(hashSecret(state));
    if (!row || row.browser_hash !== hashSecret(secret ?? "")) throw refuse("oauth_state_invalid");
    return row;
  };

  const resultOf = ({ state_hash, result }: OauthState): OauthResult | undefined =>
    result === null
      ? undefined
      : (JSON.parse(seal.open(purpose, composeContext(state_hash), result)) as OauthResult);

  /** The statement that stores the result, for the batch of what the result stands for. */
  const storeResult = (stateHash: string, result: OauthResult): Write =>
    external.storeResult(
      stateHash,
      seal.seal(purpose, composeContext(stateHash), JSON.stringify(result)),
    );

  const claimAndRun = async (
    row: OauthState,
    request: string,
    now: number,
    run: () => Promise<OauthResult>,
  ): Promise<OauthResult> => {
    const hash = row.state_hash;
    if (await tryWrite(db, [external.claim(hash, request, now, now + attemptMs)])) {
      const current = await external.state(hash);
      if (current?.request_hash !== request) throw refuse("oauth_state_invalid");
      const done = resultOf(current);
      // Another node is processing it; the console repeats the call in a moment.
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
    storeResult,

    /** `run` stores its result with `storeResult` in the batch of its own writes. */
    async runOnce(
      callback: { state: string; requestHash: string },
      call: RequestContext,
      isAllowed: (row: OauthState) => boolean,
      run: (row: OauthState) => Promise<OauthResult>,
    ): Promise<OauthResult> {
      const row = await findOwnState(callback.state, call);
      const { requestHash: request } = callback;
      const { now } = call;
      const isGood =
        row.used_at === null
          ? row.expires_at > now
          : row.request_hash === request && now - row.used_at <= repeatWindowMs;
      if (!isGood || !isAllowed(row)) throw refuse("oauth_state_invalid");
      const done = resultOf(row);
      if (done) return done;
      const key = `${row.state_hash} ${request}`;
      const running = inFlight.get(key);
      if (running) return running;
      const started = claimAndRun(row, request, now, () => run(row)).finally(() =>
        inFlight.delete(key),
      );
      inFlight.set(key, started);
      return started;
    },

    /** The link that waits for a mailed code, of this browser alone. */
    async pendingLink(
      state: string,
      call: RequestContext,
    ): Promise<{ link: PendingLink; row: OauthState }> {
      const row = await findOwnState(state, call);
      const result = resultOf(row);
      if (result?.kind !== "code" || row.expires_at <= call.now)
        throw refuse("oauth_state_invalid");
      return { link: result, row };
    },

    /**
     * The user who may now present a code of the second factor, and the statement that consumes
     * this challenge.
     */
    async challenge(state: string, call: RequestContext): Promise<ExternalChallenge> {
      const row = await findOwnState(state, call);
      const result = resultOf(row);
      if (result?.kind !== "totp" || call.now - (row.used_at ?? 0) > challengeLifetimeMs)
        throw refuse("oauth_state_invalid");
      return {
        userId: result.userId,
        opener: result.opener,
        consume: external.consumeState(row.state_hash),
      };
    },
  };
}
