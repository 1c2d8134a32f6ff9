/** Leaving for good. What is running still settles, and the wallet stays in the books. */
import { roles, userStatus } from "@tollgate/contract/users.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { type Database, StaleWrite } from "../../storage/database.ts";
import type { Reauthenticate } from "../sessions/reauthenticate.ts";
import type { UserStore } from "../users/user-store.ts";

interface DeleteSelfDeps {
  db: Database;
  users: UserStore;
  reauthenticate: Reauthenticate;
}

export function createSelfDeletion({ db, users, reauthenticate }: DeleteSelfDeps) {
  return async (reauth: Parameters<Reauthenticate>[1], call: AuthenticatedContext): Promise<void> => {
    const { principal, address, now } = call;
    const account = await users.byId(principal.id);
    if (!account) throw refuse("not_logged_in");
    if (account.role >= roles.root) throw refuse("root_stays");
    await reauthenticate(account, reauth, call);
    const { uuid, username } = account;
    const batch = [
      // Its guard: whoever is made root meanwhile stays.
      users.edit(account, {
        status: userStatus.deleted,
        access_token_hash: null,
        updated_at: Math.max(now, account.updated_at + 1),
      }),
      users.endSessions(account.id),
      ...db.audit({
        at: now,
        actorId: principal.id,
        address,
        action: "user.delete_self",
        target: uuid,
        change: { username },
      }),
    ];
    await db.write(batch, { changes: ["users"] }).catch((error: unknown) => {
      throw error instanceof StaleWrite ? refuse("changed_meanwhile") : error;
    });
  };
}
