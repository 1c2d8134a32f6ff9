/**
 * Mail on request: checks that mail is configured and how often an address may ask, then queues the
 * message.
 */
import { createHash } from "node:crypto";
import type { CriticalLimit } from "../../http/critical-limit.ts";
import { enforceLimit } from "../../http/rate-limit.ts";
import { refuse } from "../../http/refusal.ts";
import type { RequestContext } from "../../http/request-context.ts";
import type { Counters } from "../../limits/counters.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import { type MailPurpose, normalizeAddress } from "./mail-code-rules.ts";
import { type MailMessage, type MailReader, type MailSite, mailLanguage } from "./mail-messages.ts";
import type { Mailer } from "./mailer.ts";

const perMinute = { limit: 1, windowMs: 60_000 };
const perDay = { limit: 5, windowMs: 24 * 3_600_000 };
/** A class or a department in a day. */
const invitationsPerDay = { limit: 200, windowMs: 24 * 3_600_000 };
const retryAfterSeconds = 60;

interface MailOutboxDeps {
  mailer: Mailer;
  critical: CriticalLimit;
  counters: Counters;
  options: OptionReader;
  publicUrl: string | undefined;
}

/** The columns of an account that say where its mail goes. */
interface MailedAccount {
  email: string;
  language: string;
}

interface MailRequest {
  purpose: MailPurpose;
  email: string;
  call: RequestContext;
  /** Undefined when the address gets no message; the client gets the same reply either way. */
  compose: (to: string, site: MailSite) => Promise<MailMessage | undefined>;
}

export const readMailSite = ({
  options,
  publicUrl,
}: Pick<MailOutboxDeps, "options" | "publicUrl">): MailSite => ({
  name: options.text("SystemName"),
  address: (publicUrl ?? options.text("ServerAddress")).replace(/\/+$/, ""),
});

export type MailOutbox = ReturnType<typeof createMailOutbox>;

export function createMailOutbox(deps: MailOutboxDeps) {
  const { mailer, critical, counters } = deps;

  const enforceAddressLimits = async (
    purpose: MailPurpose | "invitation",
    address: string,
  ): Promise<void> => {
    // Hashed, so that Redis holds no addresses.
    const subject = `${purpose}-${createHash("sha256").update(address).digest("base64url")}`;
    await enforceLimit(counters, { ...perMinute, name: `mail-minute ${subject}` });
    await enforceLimit(counters, { ...perDay, name: `mail-day ${subject}` });
  };

  return {
    canMail: (): boolean => mailer.isConfigured(),

    /** Replies before the address is looked up: that happens in the background. */
    async request({ purpose, email, call, compose }: MailRequest): Promise<void> {
      await critical.take(call);
      const site = readMailSite(deps);
      if (!mailer.isConfigured()) throw refuse("mail_not_configured");
      // The client chooses the host name of a request, so links are never built from it.
      if (purpose === "reset" && site.address === "") throw refuse("server_address_missing");
      const to = normalizeAddress(email);
      await enforceAddressLimits(purpose, to);
      if (!mailer.enqueue(purpose, () => compose(to, site)))
        throw refuse("too_many_requests", { retryAfter: retryAfterSeconds });
    },

    site: (): MailSite => readMailSite(deps),

    /**
     * `beginInvitation` says whether the site mails invitations. Each counts for its address and
     * its inviter, so that nobody sends a stranger many.
     */
    async beginInvitation(email: string, inviterId: number): Promise<boolean> {
      if (!mailer.isConfigured()) return false;
      if (readMailSite(deps).address === "") throw refuse("server_address_missing");
      await enforceLimit(counters, { ...invitationsPerDay, name: `invitations of ${inviterId}` });
      await enforceAddressLimits("invitation", normalizeAddress(email));
      return true;
    },

    /** Notifies a user of a change to the account, in the background. */
    notify(
      kind: string,
      { email, language }: MailedAccount,
      compose: (reader: MailReader, site: MailSite) => MailMessage,
    ): void {
      if (email === "" || !mailer.isConfigured()) return;
      const reader = { to: email, language: mailLanguage(language) };
      mailer.enqueue(kind, async () => compose(reader, readMailSite(deps)));
    },
  };
}
