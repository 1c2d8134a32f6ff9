/** The route of verbs for many accounts. */

import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import { changeManyUsers, type UserBulk } from "@tollgate/contract/api/bulk-verbs.ts";
import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import { type ApiRoute, apiRoute } from "../../../http/api-route.ts";
import { idempotent } from "../../../http/idempotency.ts";
import { type BulkResult, type BulkStep, planBulk, runBulk } from "../../../http/plan-bulk.ts";
import { refuse } from "../../../http/refusal.ts";
import type { AuthenticatedContext } from "../../../http/request-context.ts";
import { createUserEditor, type UserDeps } from "./change-user.ts";
import { planTopUpWrites } from "./top-up-user.ts";
import { checkCanManage } from "./user-edit-rules.ts";
import type { UserAccount } from "./user-store.ts";

const readEdit = ({ verb, group = "" }: UserBulk) => {
  if (verb === "set_group") return { group };
  return { status: verb === "enable" ? userStatus.enabled : userStatus.disabled };
};

type BulkUserCall = AuthenticatedContext & { body: UserBulk };

export function buildBulkUserRoutes(deps: UserDeps): ApiRoute[] {
  const { db, users, issuance } = deps;
  const { planChange } = createUserEditor(deps);
  const planOf = (ids: UserBulk["ids"], step: (account: UserAccount) => BulkStep) =>
    planBulk({
      ids,
      find: users.byReference,
      missing: "user_not_found",
      nameOf: ({ username }) => username,
      step,
    });

  async function edit(call: BulkUserCall): Promise<BulkResult> {
    const change = readEdit(call.body);
    const plan = await planOf(call.body.ids, (account) => {
      const { columns, writes, audits } = planChange(call, account, change);
      if (writes.length === 0) throw refuse("bulk_unchanged");
      const { status, group } = account;
      return { before: "group" in columns ? { group } : { status }, after: change, writes, audits };
    });
    return runBulk(db, plan, { preview: call.body.preview, changes: ["users"] });
  }

  /**
   * Every account gets the quota, or none does. A repetition with the same key gives nothing again.
   */
  async function topUp(call: BulkUserCall): Promise<BulkResult> {
    const { ids, preview, quota = 0, remark = "" } = call.body;
    const { reply, writes } = await planOf(ids, (account) => {
      checkCanManage(call.principal, account);
      const after = account.balance + quota;
      if (after > quotaMax) throw refuse("quota_too_high");
      return {
        before: { quota: account.balance },
        after: { quota: after },
        writes: planTopUpWrites(deps, account, { quota, remark, at: call.now }),
        audits: call.audit("user.topup", account.uuid, { quota, remark }),
      };
    });
    if (preview === true || writes.length === 0) return reply;
    await idempotent(db, call, {
      name: "user.topup_many",
      body: call.body,
      async create(remember) {
        const done = String(reply.changed);
        await issuance.issueMany(call, quota * reply.changed, [...writes, ...remember(done)]);
        return done;
      },
    });
    return reply;
  }

  return [
    apiRoute(changeManyUsers, (call) => (call.body.verb === "top_up" ? topUp(call) : edit(call))),
  ];
}
