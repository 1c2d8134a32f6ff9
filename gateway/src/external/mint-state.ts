/** The first half of a round trip to a provider: a state that only this browser can bring back. */
import { randomBytes } from "node:crypto";
import type { BodyOf } from "@tollgate/contract/endpoint.ts";
import type { newOauthStateByPost } from "@tollgate/contract/external-sign-in.ts";
import { sourceOf } from "../http/address.ts";
import type { Caller, Circumstances } from "../http/caller.ts";
import { takeTurn } from "../http/rate-limit.ts";
import { refuse } from "../http/refusal.ts";
import type { Counters } from "../limits/counters.ts";
import type { ProveRecently } from "../sessions/recent-proof.ts";
import { hashOf, newSessionId, type SecretCookie } from "../sessions/session-cookie.ts";
import type { Database } from "../storage/database.ts";
import type { UserStore } from "../users/user-store.ts";
import type { ExternalStore } from "./external-store.ts";

const stateBytes = 24;
export const stateLastsMs = 10 * 60_000;
/** Each is a row; whole offices share an address. */
const statesPerSource = { limit: 200, windowMs: 20 * 60_000 };

interface Parts {
  db: Database;
  users: UserStore;
  external: ExternalStore;
  browser: SecretCookie;
  prove: ProveRecently;
  counters: Counters;
}

type Wanted = BodyOf<typeof newOauthStateByPost>;

export function mintStateWith({ db, users, external, browser, prove, counters }: Parts) {
  /** Whoever binds an account makes a new way in, which would outlive a borrowed session. */
  const binder = async (wanted: Wanted, call: Circumstances & { caller: Caller | undefined }): Promise<number> => {
    const { caller } = call;
    const account = caller && (await users.byId(caller.id));
    if (!account) throw refuse("not_logged_in");
    if (caller.mustChangePassword) throw refuse("password_change_required");
    await prove(account, wanted, { ...call, caller });
    return account.id;
  };

  return async (wanted: Wanted, call: Circumstances & { caller: Caller | undefined }): Promise<string> => {
    await takeTurn(counters, { ...statesPerSource, name: `oauth-state ${sourceOf(call.address)}` });
    const mayBind = call.caller !== undefined && !call.caller.mustChangePassword;
    const isBinding = wanted.purpose === undefined ? mayBind : wanted.purpose === "bind";
    const bind_user_id = isBinding ? await binder(wanted, call) : null;
    const state = randomBytes(stateBytes).toString("base64url");
    // One secret for all tabs of a browser, or each would undo the others.
    const secret = browser.read(call.headers) ?? newSessionId();
    const expires_at = call.now + stateLastsMs;
    const row = { state_hash: hashOf(state), browser_hash: hashOf(secret), bind_user_id, expires_at };
    await db.write([external.addState(row)]);
    call.reply.append("Set-Cookie", browser.set(secret));
    return state;
  };
}
