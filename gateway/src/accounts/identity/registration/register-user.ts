/** Registers an account, exactly once per idempotency key. */
import type { BodyOf } from "@tollgate/contract/endpoint.ts";
import type { register } from "@tollgate/contract/registration.ts";
import type { CriticalLimit } from "../../http/critical-limit.ts";
import { idempotent } from "../../http/idempotency.ts";
import { refuse } from "../../http/refusal.ts";
import { refusalWithDetails } from "../../http/rejected-writes.ts";
import { noActor, type RequestContext } from "../../http/request-context.ts";
import type { MailCodeStore } from "../../mail/mail-code-store.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import { Conflict, type Database, tryWrite, type Write } from "../../storage/database.ts";
import { uuid7 } from "../../storage/time-ids.ts";
import type { InvitationCodes } from "../accounts/invitation-code.ts";
import { checkPassword } from "../users/common-passwords.ts";
import { hashPassword } from "../users/passwords.ts";
import type { UserStore } from "../users/user-store.ts";
import { isReservedUsername } from "../users/username-rules.ts";
import { newAccountWrites } from "./new-account-writes.ts";
import { giftsFor, registrationInputOf, type WelcomeGift } from "./registration-rules.ts";

export interface RegistrationDeps {
  db: Database;
  users: UserStore;
  codes: MailCodeStore;
  invitations: InvitationCodes;
  options: OptionReader;
  seal: Sealer;
  critical: CriticalLimit;
}

/** Registrations share one id for their idempotency keys; the keys are random, which keeps them apart. */
const anonymousPrincipal = { id: noActor };

export function createRegistration(deps: RegistrationDeps) {
  const { db, users, codes, invitations, options, critical } = deps;

  const inviterOf = async (invitation: string) => {
    if (invitation === "") return undefined;
    const inviter = await invitations.findInviter(invitation);
    if (inviter) return inviter;
    const message = "This invitation code does not exist";
    throw refuse("invitation_code_unknown", { fields: { invitation_code: message } });
  };

  return async (body: BodyOf<typeof register>, call: RequestContext): Promise<void> => {
    const { now } = call;
    await critical.take(call);
    const { username, password, email, code, invitation } = registrationInputOf(body, options);
    checkPassword(password, username);

    const create = async (remember: (made: string) => Write[]): Promise<string> => {
      const inviter = await inviterOf(invitation);
      // Before the code, so that a taken name costs none of its attempts.
      if (isReservedUsername(username) || (await users.isUsernameTaken(username)))
        throw refusalWithDetails("username_taken");
      const mailCode = { purpose: "verify", email, code: code ?? "", now } as const;
      if (code !== undefined) await db.write([codes.countAttempt(mailCode)]);
      const [uuid, walletUuid] = [uuid7(now), uuid7(now)];
      const passwordHash = await hashPassword(password, call.address);
      const isEmailProved = code !== undefined;
      const account = { uuid, username, walletUuid, email, isEmailProved, passwordHash, inviter, now };
      const change = { username, email, ...(inviter && { inviter: inviter.uuid }) };
      const write = (gifts: WelcomeGift[]) =>
        tryWrite(
          db,
          [
            ...(code === undefined ? [] : [codes.consume(mailCode)]),
            ...newAccountWrites(deps, { ...account, gifts }),
            ...remember(uuid),
            ...call.audit("user.register", uuid, change, noActor),
          ],
          { changes: ["users", "tokens", "budgets"] },
        );
      const rejected = await write(giftsFor(username, inviter !== undefined, options));
      // This mailbox was welcomed before, with an account that was deleted since: it gets no second gift.
      const isWelcomed = rejected instanceof Conflict && rejected.constraint.startsWith("welcomed_addresses");
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
