/** Mail on request: whether there is any, how often one address may ask, and what every letter says of this server. */
import { createHash } from "node:crypto";
import type { CriticalLimit } from "../http/critical-limit.ts";
import { enforceLimit } from "../http/rate-limit.ts";
import { refuse } from "../http/refusal.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { Counters } from "../limits/counters.ts";
import type { OptionReader } from "../settings/live-options.ts";
import { type MailPurpose, normalizeAddress } from "./mail-code-rules.ts";
import type { MailMessage, MailSite } from "./mail-messages.ts";
import type { Mailer } from "./mailer.ts";

const perMinute = { limit: 1, windowMs: 60_000 };
const perDay = { limit: 5, windowMs: 24 * 3_600_000 };
const retryAfterSeconds = 60;

interface MailOutboxDeps {
  mailer: Mailer;
  critical: CriticalLimit;
  counters: Counters;
  options: OptionReader;
  publicUrl: string | undefined;
}

interface MailRequest {
  purpose: MailPurpose;
  email: string;
  call: RequestContext;
  /** Undefined where the address calls for no letter; whoever asked is answered the same. */
  compose: (to: string, site: MailSite) => Promise<MailMessage | undefined>;
}

export const mailSiteOf = ({ options, publicUrl }: Pick<MailOutboxDeps, "options" | "publicUrl">): MailSite => ({
  name: options.text("SystemName"),
  address: (publicUrl ?? options.text("ServerAddress")).replace(/\/+$/, ""),
});

export type MailOutbox = ReturnType<typeof createMailOutbox>;

export function createMailOutbox(deps: MailOutboxDeps) {
  const { mailer, critical, counters } = deps;

  const enforceAddressLimits = async (purpose: MailPurpose, address: string): Promise<void> => {
    // Whoever looks into Redis finds no addresses there.
    const subject = `${purpose}-${createHash("sha256").update(address).digest("base64url")}`;
    await enforceLimit(counters, { ...perMinute, name: `mail-minute ${subject}` });
    await enforceLimit(counters, { ...perDay, name: `mail-day ${subject}` });
  };

  return {
    /** Answers before anybody has looked whether the address is known: all of that happens in the background. */
    async ask({ purpose, email, call, compose }: MailRequest): Promise<void> {
      await critical.take(call);
      const site = mailSiteOf(deps);
      if (!mailer.isConfigured()) throw refuse("mail_not_configured");
      // The name under which somebody asks is theirs to choose, so links are never made from it.
      if (purpose === "reset" && site.address === "") throw refuse("server_address_missing");
      const to = normalizeAddress(email);
      await enforceAddressLimits(purpose, to);
      if (!mailer.enqueue(purpose, () => compose(to, site)))
        throw refuse("too_many_requests", { retryAfter: retryAfterSeconds });
    },

    /** Tells somebody what happened to their account; nobody waits for it. */
    tell(kind: string, to: string, write: (to: string, site: MailSite) => MailMessage): void {
      if (to !== "" && mailer.isConfigured()) mailer.enqueue(kind, async () => write(to, mailSiteOf(deps)));
    },
  };
}
