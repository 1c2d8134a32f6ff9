/** Changing one's own account. A new password or mail address needs proof that it is still the same person. */
import type { BodyOf } from "@tollgate/contract/endpoint.ts";
import type { updateSelf } from "@tollgate/contract/sessions.ts";
import type { Caller, Circumstances } from "../http/caller.ts";
import { refuse } from "../http/refusal.ts";
import type { Options } from "../settings/options.ts";
import { Conflict, type Database } from "../storage/database.ts";
import { taken } from "../users/change-user.ts";
import { checkPassword } from "../users/common-passwords.ts";
import { hashPassword, passwordMatches } from "../users/passwords.ts";
import type { Account, UserStore } from "../users/user-store.ts";
import type { PasswordGuard } from "./password-guard.ts";
import type { ProveRecently } from "./recent-proof.ts";
import { ownSessionOf, type SessionStore } from "./session-store.ts";

type SelfInput = BodyOf<typeof updateSelf>;
type Call = Circumstances & { caller: Caller };

interface Parts {
  db: Database;
  users: UserStore;
  sessions: SessionStore;
  options: Options;
  prove: ProveRecently;
}

export function changeSelfWith({ db, users, sessions, options, prove }: Parts, guard: PasswordGuard) {
  return async (input: SelfInput, call: Call): Promise<void> => {
    const account = await users.byId(call.caller.id);
    if (!account) throw refuse("not_logged_in");
    const { password, change } = changeOf(account, input);
    if (Object.keys(change).length === 0 && password === undefined) return;
    if (change.email && options.flag("EmailVerificationEnabled")) throw refuse("email_code_required");
    if (password !== undefined) checkPassword(password, account.username);
    if (password !== undefined || change.email !== undefined) await prove(account, input, call);
    // Whether it is the old one tells something about the old one, so tries are as few as when signing in.
    if (password !== undefined) await guard.begin(account.username, call);
    if (password !== undefined && (await passwordMatches(password, account.password_hash)))
      throw refuse("password_unchanged", { fields: { password: "The new password must differ from the current one" } });

    const hashed =
      password === undefined ? {} : { password_hash: await hashPassword(password), must_change_password: 0 as const };
    const ownSession = ownSessionOf(call.caller);
    // Whoever knew the old password may have signed in with it.
    const ended =
      password === undefined ? [] : [sessions.endOthers(account.id, ownSession), sessions.proved(ownSession, call.now)];
    const audit = db.audit({
      at: call.now,
      actorId: account.id,
      address: call.address,
      action: "user.change_self",
      target: account.uuid,
      change: { ...change, ...(password !== undefined && { password: "changed" }) },
    });
    if (password !== undefined) await guard.succeeded(account.username, call);
    try {
      await db.write([users.update(account.id, { ...change, ...hashed, updated_at: call.now }), ...ended, ...audit], {
        changes: ["users"],
      });
    } catch (error) {
      throw error instanceof Conflict ? taken(error) : error;
    }
  };
}

/** What really differs. An empty password is what a form sends when none was typed. */
function changeOf(account: Account, { username, display_name, email, password }: SelfInput) {
  return {
    password: password || undefined,
    change: {
      ...(username !== undefined && username !== account.username && { username }),
      ...(display_name !== undefined && display_name !== account.display_name && { display_name }),
      ...(email !== undefined && email !== account.email && { email }),
    },
  };
}
