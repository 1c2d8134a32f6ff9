/** Starts an OAuth flow: creates a state that only the browser that asked for it can bring back. */
import { randomBytes } from "node:crypto";
import type { newOauthStateByPost } from "@tollgate/contract/accounts/external-sign-in.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import { enforceSharedLimit } from "../../../http/rate-limit.ts";
import { refuse } from "../../../http/refusal.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { Counters } from "../../../limits/counters.ts";
import { listProvidersThatAre } from "../../../settings/external-provider-options.ts";
import type { OptionReader } from "../../../settings/live-options.ts";
import type { Database } from "../../../storage/database.ts";
import type { Reauthenticate } from "../sessions/reauthenticate.ts";
import { composeSessionId, hashSecret, type SecretCookie } from "../sessions/session-cookie.ts";
import type { UserStore } from "../users/user-store.ts";
import type { ExternalStore } from "./external-store.ts";
import type { OidcSignIn } from "./oidc-sign-in.ts";

const stateBytes = 24;
export const stateLifetimeMs = 10 * 60_000;
/** Each state is a row; whole offices share an address. */
const statesPerSource = 200;
/** `statesOfAll` is that of all sources together: some twenty megabytes of rows. */
const statesOfAll = { limit: 100_000, windowMs: 20 * 60_000, name: "oauth-state" };

interface CreateStateDeps {
  db: Database;
  users: UserStore;
  external: ExternalStore;
  browser: SecretCookie;
  reauthenticate: Reauthenticate;
  counters: Counters;
  options: OptionReader;
  oidc: OidcSignIn;
  /** `hasProxySignIn` says whether a reverse proxy signs users in. */
  hasProxySignIn: boolean;
  isReadOnly(): boolean;
}

interface NewOauthState {
  /** The state. */
  data: string;
  /** The page of the OpenID Connect provider; empty for other providers. */
  oidc_authorize_url: string;
}

type StateRequest = BodyOf<typeof newOauthStateByPost>;

export function createStateCreator({
  db,
  users,
  external,
  browser,
  reauthenticate,
  counters,
  options,
  oidc,
  hasProxySignIn,
  isReadOnly,
}: CreateStateDeps) {
  /**
   * Binding adds a way to sign in, which would outlive a stolen session, so it requires
   * reauthentication.
   */
  const binder = async (request: StateRequest, call: RequestContext): Promise<number> => {
    const { principal } = call;
    const account = principal && (await users.byId(principal.id));
    if (!account) throw refuse("not_logged_in");
    // Sooner than at the provider, whose callback would be refused.
    if (isReadOnly()) throw refuse("read_only");
    if (principal.mustChangePassword) throw refuse("password_change_required");
    if (principal.mustAddSecondFactor) throw refuse("second_factor_required");
    await reauthenticate(account, request, { ...call, principal });
    return account.id;
  };

  return async (request: StateRequest, call: RequestContext): Promise<NewOauthState> => {
    // Without a provider no callback could use the state.
    if (listProvidersThatAre(options).length === 0 && !oidc.isOn() && !hasProxySignIn)
      throw refuse("external_off");
    await enforceSharedLimit(counters, statesOfAll, call.address, statesPerSource);
    const mayBind = call.principal !== undefined && !call.principal.mustChangePassword;
    const isBinding = request.purpose === undefined ? mayBind : request.purpose === "bind";
    const bind_user_id = isBinding ? await binder(request, call) : null;
    const state = randomBytes(stateBytes).toString("base64url");
    // One secret for all tabs of a browser, or each tab would invalidate the flows of the others.
    const secret = browser.read(call.headers) ?? composeSessionId();
    const expires_at = call.now + stateLifetimeMs;
    const state_hash = hashSecret(state);
    const begun =
      request.provider === undefined
        ? undefined
        : await oidc.begin(request.provider, state, state_hash);
    const flow_sealed = begun?.flowSealed ?? null;
    const row = {
      state_hash,
      browser_hash: hashSecret(secret),
      bind_user_id,
      expires_at,
      flow_sealed,
    };
    await db.write([external.addState(row)]);
    call.responseHeaders.append("Set-Cookie", browser.set(secret));
    return { data: state, oidc_authorize_url: begun?.url ?? "" };
  };
}
