/** The tries that are left, shared by everything that checks a password. */
import type { Circumstances } from "../http/caller.ts";
import type { CriticalLimit } from "../http/critical-limit.ts";
import { refuse } from "../http/refusal.ts";
import { lockout } from "./lockout.ts";

export function passwordGuard(critical: CriticalLimit) {
  const accounts = lockout();
  const accountOf = (login: string) => login.normalize("NFC").toLowerCase();

  return {
    /** Refuses, or counts a try that `succeeded` gives back. */
    begin(login: string, call: Circumstances): void {
      critical.take(call);
      const retryAfter = accounts.wait(accountOf(login), call.now);
      if (retryAfter > 0) throw refuse("sign_in_locked", { retryAfter });
    },
    failed: (login: string, { now }: Circumstances) => accounts.failed(accountOf(login), now),
    succeeded(login: string, call: Circumstances) {
      accounts.succeeded(accountOf(login));
      critical.refund(call);
    },
  };
}
export type PasswordGuard = ReturnType<typeof passwordGuard>;
