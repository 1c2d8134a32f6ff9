/** Registers an account, exactly once per idempotency key. */

import type { register } from "@tollgate/contract/accounts/registration.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import type { CriticalLimit } from "../../../http/critical-limit.ts";
import { idempotent } from "../../../http/idempotency.ts";
import { refuse } from "../../../http/refusal.ts";
import { refuseRefusalWithDetails } from "../../../http/rejected-writes.ts";
import { noActor, type RequestContext } from "../../../http/request-context.ts";
import type { MailCodeStore } from "../../../notices/mail/mail-code-store.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import type { OptionReader } from "../../../settings/live-options.ts";
import { Conflict, type Database, tryWrite, type Write } from "../../../storage/database.ts";
import { readUuid7 } from "../../../storage/time-ids.ts";
import type { InvitationRow } from "../../teams/invitation-store.ts";
import type { InvitationCodes } from "../accounts/invitation-code.ts";
import { checkPassword } from "../users/common-passwords.ts";
import { hashPassword } from "../users/passwords.ts";
import type { UserStore } from "../users/user-store.ts";
import { isReservedUsername } from "../users/username-rules.ts";
import { planAccountWrites } from "./new-account-writes.ts";
import { listGifts, parseRegistrationInput, type WelcomeGift } from "./registration-rules.ts";

export interface RegistrationDeps {
  db: Database;
  users: UserStore;
  codes: MailCodeStore;
  invitations: InvitationCodes;
  options: OptionReader;
  seal: Sealer;
  critical: CriticalLimit;
  teamInvitations: TeamInvitations;
}

/** `TeamInvitations` are those whose link may open the registration. */
export interface TeamInvitations {
  byLink(code: string, now: number): Promise<InvitationRow | undefined>;
  giveTo(invitation: InvitationRow, userUuid: string, now: number): Write;
}

/**
 * Registrations share one id for their idempotency keys; the keys are random, which keeps them
 * apart.
 */
const anonymousPrincipal = { id: noActor };

export function createRegistration(deps: RegistrationDeps) {
  const { db, users, codes, invitations, options, critical, teamInvitations } = deps;

  const inviterOf = async (invitation: string) => {
    if (invitation === "") return undefined;
    const inviter = await invitations.findInviter(invitation);
    if (inviter) return inviter;
    const message = "This invitation code does not exist";
    throw refuse("invitation_code_unknown", { fields: { invitation_code: message } });
  };

  const invitedBy = async (link: string, email: string, now: number) => {
    if (link === "") return undefined;
    const found = await teamInvitations.byLink(link, now);
    if (!found) throw refuse("invitation_not_found");
    if (found.is_mailed === 1 && found.email !== email)
      throw refuse("invitation_for_other_address", {
        fields: { email: "must be the address that was invited" },
      });
    return found;
  };

  return async (body: BodyOf<typeof register>, call: RequestContext): Promise<void> => {
    const { now } = call;
    await critical.take(call);
    const input = parseRegistrationInput(body, options);
    const { username, password, email, code, invitation, teamInvitation } = input;
    checkPassword(password, username);

    const create = async (remember: (made: string) => Write[]): Promise<string> => {
      // Here, since a repetition of the request finds the link spent.
      const invited = await invitedBy(teamInvitation, email, now);
      const inviter = await inviterOf(invitation);
      // Before the code, so that a taken name costs none of its attempts.
      if (isReservedUsername(username) || (await users.isUsernameTaken(username)))
        throw refuseRefusalWithDetails("username_taken");
      const mailCode = { purpose: "verify", email, code: code ?? "", now } as const;
      if (code !== undefined) await db.write([codes.countAttempt(mailCode)]);
      const [uuid, walletUuid] = [readUuid7(now), readUuid7(now)];
      const passwordHash = await hashPassword(password, call.address);
      const isEmailProved = code !== undefined;
      const account = {
        uuid,
        username,
        walletUuid,
        email,
        isEmailProved,
        passwordHash,
        inviter,
        now,
      };
      const change = { username, email, ...(inviter && { inviter: inviter.uuid }) };
      const write = (gifts: WelcomeGift[]) =>
        tryWrite(
          db,
          [
            ...(code === undefined ? [] : [codes.consume(mailCode)]),
            ...planAccountWrites(deps, { ...account, gifts }),
            ...(invited ? [teamInvitations.giveTo(invited, uuid, now)] : []),
            ...remember(uuid),
            ...call.audit("user.register", uuid, change, noActor),
          ],
          { changes: ["users", "tokens", "budgets"] },
        );
      const rejected = await write(listGifts(username, inviter !== undefined, options));
      // This mailbox was welcomed before, with an account that was deleted since: it gets no second
      // gift.
      const isWelcomed =
        rejected instanceof Conflict && rejected.constraint.startsWith("welcomed_addresses");
      const failure = isWelcomed ? await write([]) : rejected;
      if (failure) throw failure;
      return uuid;
    };

    // The stored hash of the request must not depend on the password.
    const { password: _, ...fingerprinted } = body;
    const operation = { name: "user.register", body: fingerprinted, create };
    await idempotent(db, { ...call, principal: anonymousPrincipal }, operation);
  };
}
