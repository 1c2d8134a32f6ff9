/** Leaving for good. What is running still settles, and the wallet stays in the books. */
import { roles, userStatus } from "@tollgate/contract/users.ts";
import type { Caller, Circumstances } from "../http/caller.ts";
import { refuse } from "../http/refusal.ts";
import type { ProveRecently } from "../sessions/recent-proof.ts";
import { type Database, StaleWrite } from "../storage/database.ts";
import type { UserStore } from "../users/user-store.ts";

interface Parts {
  db: Database;
  users: UserStore;
  prove: ProveRecently;
}

type Call = Circumstances & { caller: Caller };

export function deleteSelfWith({ db, users, prove }: Parts) {
  return async (shown: Parameters<ProveRecently>[1], call: Call): Promise<void> => {
    const { caller, address, now } = call;
    const account = await users.byId(caller.id);
    if (!account) throw refuse("not_logged_in");
    if (account.role >= roles.root) throw refuse("root_stays");
    await prove(account, shown, call);
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
        actorId: caller.id,
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
