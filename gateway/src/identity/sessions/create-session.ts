/** Creates a session and ends the previous one of this browser, so that one browser holds one session. */
import type { ExternalAccountProvider } from "@tollgate/contract/external-sign-in.ts";
import type { RequestContext } from "../../http/request-context.ts";
import type { Write } from "../../storage/database.ts";
import { hashSecret, newSessionId } from "./session-cookie.ts";
import { type SessionStore, sessionLifetimeMs } from "./session-store.ts";

/** The OpenID Connect sign-in that opens a session, by which its provider can end it. */
export interface ProviderSession {
  provider: ExternalAccountProvider;
  subject: string;
  sid: string | undefined;
}

export function createSession(
  sessions: SessionStore,
  userId: number,
  { principal, now, address, userAgent }: RequestContext,
  { hasSecondFactor, opener }: { hasSecondFactor: boolean; opener?: ProviderSession | undefined },
): { id: string; writes: Write[] } {
  const id = newSessionId();
  const earlier = principal?.credential.kind === "cookie" ? [sessions.end(principal.credential.sessionHash)] : [];
  const opened = sessions.open({
    id_hash: hashSecret(id),
    user_id: userId,
    created_at: now,
    seen_at: now,
    expires_at: now + sessionLifetimeMs,
    proved_at: now,
    address,
    user_agent: userAgent,
    provider: opener?.provider ?? null,
    provider_subject: opener?.subject ?? null,
    provider_sid: opener?.sid ?? null,
    second_factor: hasSecondFactor ? 1 : 0,
  });
  return { id, writes: [...earlier, ...opened] };
}
