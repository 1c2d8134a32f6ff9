/** Mail on request: whether there is any, how often one address may ask, and what every letter says of this server. */
import type { Circumstances } from "../http/caller.ts";
import type { CriticalLimit } from "../http/critical-limit.ts";
import { rateLimiter } from "../http/rate-limit.ts";
import { refuse } from "../http/refusal.ts";
import type { Options } from "../settings/options.ts";
import { type MailPurpose, plainAddress } from "./mail-code-rules.ts";
import type { Letter, Site } from "./mail-texts.ts";
import type { Mailer } from "./mailer.ts";

const perMinute = { triesMax: 1, windowMs: 60_000 };
const perDay = { triesMax: 5, windowMs: 24 * 3_600_000 };
const busyForSeconds = 60;

interface Parts {
  mailer: Mailer;
  critical: CriticalLimit;
  options: Options;
  publicUrl: string | undefined;
}

interface Asked {
  purpose: MailPurpose;
  email: string;
  call: Circumstances;
  /** Undefined where the address calls for no letter; whoever asked is answered the same. */
  write: (to: string, site: Site) => Promise<Letter | undefined>;
}

export const siteOf = ({ options, publicUrl }: Pick<Parts, "options" | "publicUrl">): Site => ({
  name: options.text("SystemName"),
  address: (publicUrl ?? options.text("ServerAddress")).replace(/\/+$/, ""),
});

export type PostOffice = ReturnType<typeof postOffice>;

export function postOffice(parts: Parts) {
  const { mailer, critical } = parts;
  const minutes = rateLimiter(perMinute.triesMax, perMinute.windowMs);
  const days = rateLimiter(perDay.triesMax, perDay.windowMs);

  const takeTurn = (address: string, now: number): void => {
    for (const limit of [minutes, days]) {
      const turn = limit.take(address, now);
      if (!turn.allowed) throw refuse("too_many_requests", { retryAfter: turn.retryAfter });
    }
  };

  return {
    /** Answers before anybody has looked whether the address is known: all of that happens in the background. */
    ask({ purpose, email, call, write }: Asked): void {
      critical.take(call);
      const site = siteOf(parts);
      if (!mailer.isConfigured()) throw refuse("mail_not_configured");
      // The name under which somebody asks is theirs to choose, so links are never made from it.
      if (purpose === "reset" && site.address === "") throw refuse("server_address_missing");
      const to = plainAddress(email);
      takeTurn(`${purpose} ${to}`, call.now);
      if (!mailer.post(purpose, () => write(to, site)))
        throw refuse("too_many_requests", { retryAfter: busyForSeconds });
    },

    /** Tells somebody what happened to their account; nobody waits for it. */
    tell(kind: string, to: string, write: (to: string, site: Site) => Letter): void {
      if (to !== "" && mailer.isConfigured()) mailer.post(kind, async () => write(to, siteOf(parts)));
    },
  };
}
