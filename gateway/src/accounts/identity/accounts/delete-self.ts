/** Deletes a user's own account. Running calls still settle, and the ledger keeps the wallet. */
import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import { refuse } from "../../../http/refusal.ts";
import type { AuthenticatedContext } from "../../../http/request-context.ts";
import { planWaiverWrites } from "../../../money/debt-writes.ts";
import type { Database } from "../../../storage/database.ts";
import type { Reauthenticate } from "../sessions/reauthenticate.ts";
import { endSignIns } from "../users/end-sign-ins.ts";
import { ownAccount } from "../users/own-account.ts";
import type { UserStore } from "../users/user-store.ts";

interface DeleteSelfDeps {
  db: Database;
  users: UserStore;
  reauthenticate: Reauthenticate;
}

export function createSelfDeletion({ db, users, reauthenticate }: DeleteSelfDeps) {
  return async (
    reauth: Parameters<Reauthenticate>[1],
    call: AuthenticatedContext,
  ): Promise<void> => {
    const account = await ownAccount(users, call.principal);
    if (account.role >= roles.root) throw refuse("root_stays");
    await reauthenticate(account, reauth, call);
    const { debt } = account;
    const writtenOff = {
      id: db.mintId(),
      walletId: account.wallet_id,
      amount: debt,
      at: call.now,
      missed: "changed_meanwhile",
    } as const;
    const batch = [
      ...planWaiverWrites(db, writtenOff),
      // Misses when the account became root meanwhile, so that root stays.
      users.edit(account, {
        status: userStatus.deleted,
        updated_at: Math.max(call.now, account.updated_at + 1),
      }),
      ...endSignIns(db, account.id),
      ...call.audit("user.delete_self", account.uuid, {
        username: account.username,
        ...(debt > 0 && { debt_written_off: debt }),
      }),
    ];
    await db.write(batch, { changes: ["users"] });
  };
}
