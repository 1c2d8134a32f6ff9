import { refuse } from "../../../http/refusal.ts";
import { readDomain } from "../../../notices/mail/mail-code-rules.ts";
import type { OptionReader } from "../../../settings/live-options.ts";

/** Refuses an address of a domain that the operator does not accept, wherever a user enters one. */
export function checkDomain(email: string, options: OptionReader): void {
  if (!options.flag("EmailDomainRestrictionEnabled")) return;
  const accepted = options.text("EmailDomainWhitelist").toLowerCase().split(",");
  if (!accepted.includes(readDomain(email))) throw refuse("email_domain_refused");
}
