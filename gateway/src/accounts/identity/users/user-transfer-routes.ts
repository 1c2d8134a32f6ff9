/** The API route by which users move quota to each other, where `TransferFromUsers` is on. */

import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import { transferToUser } from "@tollgate/contract/accounts/user-transfers.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import type { LogEvent } from "@tollgate/contract/figures/log-events.ts";
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import { type ApiRoute, apiRoute } from "../../../http/api-route.ts";
import { idempotent } from "../../../http/idempotency.ts";
import { enforceLimit } from "../../../http/rate-limit.ts";
import { refuse } from "../../../http/refusal.ts";
import type { AuthenticatedContext, ProveIdentity } from "../../../http/request-context.ts";
import type { Counters } from "../../../limits/counters.ts";
import { formatQuotaText } from "../../../money/quota-text.ts";
import { planTransferWrites } from "../../../money/transfer-writes.ts";
import type { OptionReader } from "../../../settings/live-options.ts";
import type { Database } from "../../../storage/database.ts";
import { planEventRow } from "../../../storage/event-row.ts";
import { ownAccount } from "./own-account.ts";
import type { UserAccount, UserStore } from "./user-store.ts";

/** `unknownNameLimit` is for a sender, from any address, who could find out who has an account. */
const unknownNameLimit = { limit: 10, windowMs: 15 * 60_000 };

interface UserTransferDeps {
  db: Database;
  users: Pick<UserStore, "byId" | "byUsername" | "requireEnabled">;
  options: OptionReader;
  counters: Counters;
  proveIdentity: ProveIdentity;
}

type TransferCall = AuthenticatedContext & { body: BodyOf<typeof transferToUser> };

export function buildUserTransferRoutes({
  db,
  users,
  options,
  counters,
  proveIdentity,
}: UserTransferDeps): ApiRoute[] {
  /** `findRecipient` refuses a disabled user like a name that nobody has. */
  const findRecipient = async (sender: UserAccount, username: string): Promise<UserAccount> => {
    const window = { ...unknownNameLimit, name: `transfer ${sender.id}` };
    await enforceLimit(counters, window);
    const found = await users.byUsername(username);
    if (found?.status !== userStatus.enabled) throw refuse("transfer_recipient_unknown");
    counters.refund(window);
    if (found.id === sender.id) throw refuse("transfer_to_self");
    return found;
  };

  const transfer = async (call: TransferCall): Promise<void> => {
    const { principal, now, body } = call;
    const { username, amount } = body;
    // A transfer changes another account, which an auditor may not.
    if (principal.isReadOnly) throw refuse("account_read_only");
    if (!options.flag("TransferFromUsers")) throw refuse("transfers_off");
    await proveIdentity(call, body);
    await idempotent(db, call, {
      name: "user.transfer",
      body: { username, amount },
      async create(remember) {
        const sender = await ownAccount(users, principal);
        const recipient = await findRecipient(sender, username);
        const id = db.mintId();
        const facts = { quota: amount, sender: sender.username, recipient: recipient.username };
        const event: LogEvent = { code: "transfer_to_user", params: facts };
        const content = `${formatQuotaText(amount, options)} from ${facts.sender} to ${facts.recipient}`;
        const logged = { type: logTypes.management, quota: 0, content, event };
        await db.write([
          ...planTransferWrites(db, {
            ...{ id, fromWalletId: sender.wallet_id, toWalletId: recipient.wallet_id },
            ...{ amount, at: now, missed: "transfer_not_covered", full: "recipient_full" },
          }),
          // An administrator who deletes the recipient meanwhile would delete what it received.
          ...[sender, recipient]
            .sort((one, other) => one.id - other.id)
            .map((account) => users.requireEnabled(account.id)),
          ...[sender, recipient].map((account, place) =>
            planEventRow(db, {
              ...logged,
              ...{ id: place === 0 ? id : db.mintId() },
              ...{ user_id: account.id, username: account.username },
            }),
          ),
          ...call.audit("user.transfer", recipient.uuid, { username: recipient.username, amount }),
          ...remember(recipient.uuid),
        ]);
        return recipient.uuid;
      },
    });
  };

  return [apiRoute(transferToUser, transfer)];
}
