/**
 * An administrator grants quota: balance, ledger, a visible log row and the audit trail in one
 * transaction.
 */

import type { topUpUser } from "@tollgate/contract/accounts/user-admin.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import { named } from "@tollgate/contract/api/ids.ts";
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import { idempotent } from "../../../http/idempotency.ts";
import { refuse } from "../../../http/refusal.ts";
import type { AuthenticatedContext } from "../../../http/request-context.ts";
import { grantWrites } from "../../../money/grant-writes.ts";
import { formatQuotaText } from "../../../money/quota-text.ts";
import type { Write } from "../../../storage/database.ts";
import { planEventRow } from "../../../storage/event-row.ts";
import { type UserDeps, waiting } from "./change-user.ts";
import { checkCanManage } from "./user-edit-rules.ts";
import type { UserAccount } from "./user-store.ts";

/** The grant with its log row. */
export function planTopUpWrites(
  { db, options }: Pick<UserDeps, "db" | "options">,
  { id: user_id, username, wallet_id }: Pick<UserAccount, "id" | "username" | "wallet_id">,
  { quota, remark, at }: { quota: number; remark: string; at: number },
): Write[] {
  const id = db.mintId();
  const content = `${formatQuotaText(quota, options)} ${remark === "" ? "given by an administrator" : remark}`;
  const event = { code: "topped_up", params: { quota, remark } } as const;
  const logged = { id, type: logTypes.topup, user_id, username, quota, content, event };
  return [
    ...grantWrites(db, {
      id,
      wallet: { id: wallet_id },
      amount: quota,
      at,
      missed: "quota_too_high",
    }),
    planEventRow(db, logged),
  ];
}

export function createUserTopUp({ db, users, options, issuance }: UserDeps) {
  return async (call: AuthenticatedContext & { body: BodyOf<typeof topUpUser> }): Promise<void> => {
    const { principal, now, body } = call;
    const { quota, remark = "" } = body;
    const account = await users.byReference(named({ id: body.user_id, uuid: body.user_uuid }));
    if (!account) throw refuse("user_not_found");
    checkCanManage(principal, account);
    const { uuid } = account;
    const ended = await idempotent(db, call, {
      name: "user.topup",
      body,
      async create(remember) {
        const issue = {
          kind: "user",
          target_uuid: uuid,
          name: remark,
          quota,
          count: 1,
          amount: quota,
        } as const;
        const topUp = planTopUpWrites({ db, options }, account, { quota, remark, at: now });
        const outcome = await issuance.issue(call, issue, {
          batch: [
            ...topUp,
            ...remember(uuid),
            ...call.audit("user.topup", uuid, { quota, remark }),
          ],
          otherwise: remember(waiting),
        });
        return outcome === "issued" ? uuid : waiting;
      },
    });
    if (ended === waiting) throw refuse("quota_waits_for_root");
  };
}
