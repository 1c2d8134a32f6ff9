/** Rules for people who may register, and for the things that a new account receives. Pure. */

import type { register } from "@tollgate/contract/accounts/registration.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import type { LogEvent } from "@tollgate/contract/figures/log-events.ts";
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
  /** The link into a team that opens the registration; empty where it is open to everyone. */
  teamInvitation: string;
}

export function parseRegistrationInput(
  body: BodyOf<typeof register>,
  options: OptionReader,
): RegistrationInput {
  const isOpen = options.flag("RegisterEnabled");
  const teamInvitation =
    !isOpen && options.flag("InvitesMayRegister") ? (body.team_invitation ?? "") : "";
  if ((!isOpen && teamInvitation === "") || !options.flag("PasswordRegisterEnabled"))
    throw refuse("registration_off");
  const { username, password, verification_code: code = "", invitation_code, aff_code } = body;
  const email = normalizeAddress(body.email ?? "");
  const isVerified = options.flag("EmailVerificationEnabled");
  if (email === "" && (isVerified || options.flag("EmailDomainRestrictionEnabled")))
    throw refuseMissing("email", "Valid email is required");
  if (email !== "") checkDomain(email, options);
  if (isVerified && code === "")
    throw refuseMissing("verification_code", "Verification code is required");
  const invitation = (invitation_code || aff_code || "").trim();
  const required = isVerified ? code : undefined;
  return { username, password, email, code: required, invitation, teamInvitation };
}

const refuseMissing = (field: string, message: string) =>
  refuse("invalid_request", { message, fields: { [field]: message } });

export interface WelcomeGift {
  to: "newcomer" | "inviter";
  amount: number;
  reason: string;
  /** The reason as the log tells it to a console. */
  event: LogEvent;
}

export function listGifts(
  username: string,
  isInvited: boolean,
  options: OptionReader,
): WelcomeGift[] {
  const [forInviter, forInvited, forNew] = [
    options.number("QuotaForInviter"),
    options.number("QuotaForInvitee"),
    options.number("QuotaForNewUser"),
  ];
  const gifts: WelcomeGift[] = [
    ...(isInvited
      ? ([
          {
            to: "inviter",
            amount: forInviter,
            reason: `for inviting ${username}`,
            event: {
              code: "invitation_reward",
              params: { quota: forInviter, user: username },
            },
          },
          {
            to: "newcomer",
            amount: forInvited,
            reason: "for using an invitation code",
            event: { code: "invitation_used", params: { quota: forInvited } },
          },
        ] as const)
      : []),
    {
      to: "newcomer",
      amount: forNew,
      reason: "for a new account",
      event: { code: "new_account", params: { quota: forNew } },
    },
  ];
  return gifts.filter(({ amount }) => amount > 0);
}
