/**
 * Creates a session and ends the previous one of this browser, so that one browser holds one
 * session.
 */
import type { ExternalAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import type { Write } from "../../../storage/database.ts";
import { sealIdToken } from "../oidc/session-id-token.ts";
import type { UserAccount } from "../users/user-store.ts";
import { composeSessionId, hashSecret } from "./session-cookie.ts";
import { type SessionStore, sessionLifetimeMs } from "./session-store.ts";

/** The OpenID Connect sign-in that opens a session, by which its provider can end it. */
export interface ProviderSession {
  provider: ExternalAccountProvider;
  subject: string;
  sid: string | undefined;
  /** Kept where the provider's session is to end with this one. */
  idToken?: string | undefined;
}

/**
 * `SignInAlarm` gives the statements that are written with every sign-in so that an unusual one is
 * noticed.
 */
export type SignInAlarm = (
  account: Pick<UserAccount, "id" | "role" | "username">,
  call: Pick<RequestContext, "address" | "now">,
) => Write[];

/** An opener, and what seals its id token. */
interface SealedOpening {
  opener: ProviderSession | undefined;
  seal: Sealer;
}

export function createSession(
  { sessions, noteSignIn }: { sessions: SessionStore; noteSignIn: SignInAlarm },
  account: UserAccount,
  call: RequestContext,
  { hasSecondFactor, opening }: { hasSecondFactor: boolean; opening?: SealedOpening },
): { id: string; writes: Write[] } {
  const { principal, now, address, userAgent } = call;
  const id = composeSessionId();
  const idHash = hashSecret(id);
  const opener = opening?.opener;
  const earlier =
    principal?.credential.kind === "cookie" ? [sessions.end(principal.credential.sessionHash)] : [];
  const opened = sessions.open({
    id_hash: idHash,
    user_id: account.id,
    created_at: now,
    seen_at: now,
    expires_at: now + sessionLifetimeMs,
    proved_at: now,
    address,
    user_agent: userAgent,
    provider: opener?.provider ?? null,
    provider_subject: opener?.subject ?? null,
    provider_sid: opener?.sid ?? null,
    id_token_sealed: opening ? sealIdToken(opening.seal, idHash, opener?.idToken) : null,
    second_factor: hasSecondFactor ? 1 : 0,
  });
  return { id, writes: [...earlier, ...opened, ...noteSignIn(account, call)] };
}
