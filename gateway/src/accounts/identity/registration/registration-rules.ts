/** Rules for people who may register, and for the things that a new account receives. Pure. */

import type { register } from "@tollgate/contract/accounts/registration.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import { refuse } from "../../../http/refusal.ts";
import { normalizeAddress } from "../../../notices/mail/mail-code-rules.ts";
import type { OptionReader } from "../../../settings/live-options.ts";
import { checkDomain } from "../users/mail-domain.ts";

export interface RegistrationInput {
  username: string;
  password: string;
  /** Lower case; empty when none was given and none is required. */
  email: string;
  /** Undefined when no code is required. */
  code: string | undefined;
  /** Empty when none was given. */
  invitation: string;
}

export function parseRegistrationInput(
  body: BodyOf<typeof register>,
  options: OptionReader,
  isInvited = false,
): RegistrationInput {
  const isOpen = options.flag("RegisterEnabled") || isInvited;
  if (!isOpen || !options.flag("PasswordRegisterEnabled")) throw refuse("registration_off");
  const { username, password, verification_code: code = "", invitation_code, aff_code } = body;
  const email = normalizeAddress(body.email ?? "");
  const isVerified = options.flag("EmailVerificationEnabled");
  if (email === "" && (isVerified || options.flag("EmailDomainRestrictionEnabled")))
    throw refuseMissing("email", "Valid email is required");
  if (email !== "") checkDomain(email, options);
  if (isVerified && code === "")
    throw refuseMissing("verification_code", "Verification code is required");
  const invitation = (invitation_code || aff_code || "").trim();
  return { username, password, email, code: isVerified ? code : undefined, invitation };
}

const refuseMissing = (field: string, message: string) =>
  refuse("invalid_request", { message, fields: { [field]: message } });

export interface WelcomeGift {
  to: "newcomer" | "inviter";
  amount: number;
  reason: string;
}

export function listGifts(
  username: string,
  isInvited = false,
  options: OptionReader,
): WelcomeGift[] {
  const gifts: WelcomeGift[] = [
    ...(isInvited
      ? [
          {
            to: "inviter" as const,
            amount: options.number("QuotaForInviter"),
            reason: `for inviting ${username}`,
          },
          {
            to: "newcomer" as const,
            amount: options.number("QuotaForInvitee"),
            reason: "for using an invitation code",
          },
        ]
      : []),
    { to: "newcomer", amount: options.number("QuotaForNewUser"), reason: "for a new account" },
  ];
  return gifts.filter(({ amount }) => amount > 0);
}
