/** Limits attempts to guess a password, wherever one is checked. */

import type { CriticalLimit } from "../../http/critical-limit.ts";
import { refuse } from "../../http/refusal.ts";
import type { RequestContext } from "../../http/request-context.ts";
import type { Lockout } from "../lockouts/lockout.ts";

export function createPasswordGuard(critical: CriticalLimit, accounts: Lockout) {
  const accountOf = (login: string) => login.normalize("NFC").toLowerCase();

  return {
    /** Refuses, or counts an attempt, which `succeeded` returns. */
    async begin(login: string, call: RequestContext): Promise<void> {
      await critical.take(call);
      const retryAfter = await accounts.wait(accountOf(login), call.now);
      if (retryAfter > 0) throw refuse("sign_in_locked", { retryAfter });
    },
    failed: (login: string, { now }: RequestContext): Promise<void> => accounts.failed(accountOf(login), now),
    async succeeded(login: string, call: RequestContext): Promise<void> {
      critical.refund(call);
      await accounts.succeeded(accountOf(login));
    },
  };
}
export type PasswordGuard = ReturnType<typeof createPasswordGuard>;
