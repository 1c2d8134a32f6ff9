/** Mail on request: whether there is any, how often one address may ask, and what every letter says of this server. */
import { createHash } from "node:crypto";
import type { Circumstances } from "../http/caller.ts";
import type { CriticalLimit } from "../http/critical-limit.ts";
import { takeTurn } from "../http/rate-limit.ts";
import { refuse } from "../http/refusal.ts";
import type { Counters } from "../limits/counters.ts";
import type { Options } from "../settings/options.ts";
import { type MailPurpose, plainAddress } from "./mail-code-rules.ts";
import type { Letter, Site } from "./mail-texts.ts";
import type { Mailer } from "./mailer.ts";

const perMinute = { limit: 1, windowMs: 60_000 };
const perDay = { limit: 5, windowMs: 24 * 3_600_000 };
const busyForSeconds = 60;

interface Parts {
  mailer: Mailer;
  critical: CriticalLimit;
  counters: Counters;
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
  const { mailer, critical, counters } = parts;

  const takeTurnFor = async (purpose: MailPurpose, address: string): Promise<void> => {
    // Whoever looks into Redis finds no addresses there.
    const subject = `${purpose}-${createHash("sha256").update(address).digest("base64url")}`;
    await takeTurn(counters, { ...perMinute, name: `mail-minute ${subject}` });
    await takeTurn(counters, { ...perDay, name: `mail-day ${subject}` });
  };

  return {
    /** Answers before anybody has looked whether the address is known: all of that happens in the background. */
    async ask({ purpose, email, call, write }: Asked): Promise<void> {
      await critical.take(call);
      const site = siteOf(parts);
      if (!mailer.isConfigured()) throw refuse("mail_not_configured");
      // The name under which somebody asks is theirs to choose, so links are never made from it.
      if (purpose === "reset" && site.address === "") throw refuse("server_address_missing");
      const to = plainAddress(email);
      await takeTurnFor(purpose, to);
      if (!mailer.post(purpose, () => write(to, site)))
        throw refuse("too_many_requests", { retryAfter: busyForSeconds });
    },

    /** Tells somebody what happened to their account; nobody waits for it. */
    tell(kind: string, to: string, write: (to: string, site: Site) => Letter): void {
      if (to !== "" && mailer.isConfigured()) mailer.post(kind, async () => write(to, siteOf(parts)));
    },
  };
}
