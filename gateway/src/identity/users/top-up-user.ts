/** An administrator grants quota: balance, ledger, a visible log row and the audit trail in one transaction. */
import type { BodyOf } from "@tollgate/contract/endpoint.ts";
import { named } from "@tollgate/contract/ids.ts";
import { logTypes } from "@tollgate/contract/logs.ts";
import type { topUpUser } from "@tollgate/contract/user-admin.ts";
import { idempotent } from "../../http/idempotency.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { eventRow } from "../../logs/event-row.ts";
import { grantWrites } from "../../money/grant-writes.ts";
import { quotaText } from "../../money/quota-text.ts";
import type { UserDeps } from "./change-user.ts";
import { checkCanManage } from "./user-edit-rules.ts";

export function createUserTopUp({ db, users, options }: UserDeps) {
  return async (call: AuthenticatedContext & { body: BodyOf<typeof topUpUser> }): Promise<void> => {
    const { principal, now, body } = call;
    const { quota, remark = "" } = body;
    const account = await users.byReference(named({ id: body.user_id, uuid: body.user_uuid }));
    if (!account) throw refuse("user_not_found");
    checkCanManage(principal, account);
    const { uuid, username, wallet_id } = account;
    await idempotent(db, call, {
      name: "user.topup",
      body,
      async create(remember) {
        const id = db.mintId();
        const content = `${quotaText(quota, options)} ${remark === "" ? "given by an administrator" : remark}`;
        const logRow = eventRow({ id, type: logTypes.topup, user_id: account.id, username, quota, content });
        await db.write([
          ...grantWrites(db, { id, wallet: { id: wallet_id }, amount: quota, at: now, missed: "quota_too_high" }),
          { query: db.sql.insertInto("logs").values(logRow), rows: 1 },
          ...remember(uuid),
          ...call.audit("user.topup", uuid, { quota, remark }),
        ]);
        return uuid;
      },
    });
  };
}
