/** The tries that are left, shared by everything that checks a password. */
import { sourceOf } from "../http/address.ts";
import type { Circumstances } from "../http/caller.ts";
import { rateLimiter } from "../http/rate-limit.ts";
import { refuse } from "../http/refusal.ts";
import { lockout } from "./lockout.ts";

const triesPerSource = 20;
const sourceWindowMs = 20 * 60_000;

export function passwordGuard() {
  const sources = rateLimiter(triesPerSource, sourceWindowMs);
  const accounts = lockout();
  const accountOf = (login: string) => login.normalize("NFC").toLowerCase();

  return {
    /** Refuses, or counts a try that `succeeded` gives back. */
    begin(login: string, { address, now }: Circumstances): void {
      const turn = sources.take(sourceOf(address), now);
      if (!turn.allowed) throw refuse("too_many_requests", { retryAfter: turn.retryAfter });
      const retryAfter = accounts.wait(accountOf(login), now);
      if (retryAfter > 0) throw refuse("sign_in_locked", { retryAfter });
    },
    failed: (login: string, { now }: Circumstances) => accounts.failed(accountOf(login), now),
    succeeded(login: string, { address, now }: Circumstances) {
      accounts.succeeded(accountOf(login));
      sources.refund(sourceOf(address), now);
    },
  };
}
export type PasswordGuard = ReturnType<typeof passwordGuard>;
