/** The route of verbs for many accounts. */
import { changeManyUsers, type UserBulk } from "@tollgate/contract/bulk-verbs.ts";
import { userStatus } from "@tollgate/contract/roles.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { planBulk, runBulk } from "../../http/plan-bulk.ts";
import { refuse } from "../../http/refusal.ts";
import { createUserEditor, type UserDeps } from "./change-user.ts";

const editOf = ({ verb, group = "" }: UserBulk) => {
  if (verb === "set_group") return { group };
  return { status: verb === "enable" ? userStatus.enabled : userStatus.disabled };
};

export function bulkUserRoutes(deps: UserDeps): ApiRoute[] {
  const { db, users } = deps;
  const { planChange } = createUserEditor(deps);
  return [
    apiRoute(changeManyUsers, async (call) => {
      const edit = editOf(call.body);
      const plan = await planBulk({
        ids: call.body.ids,
        find: users.byReference,
        missing: "user_not_found",
        nameOf: ({ username }) => username,
        step(account) {
          const { columns, writes, audits } = planChange(call, account, edit);
          if (writes.length === 0) throw refuse("bulk_unchanged");
          const { status, group } = account;
          return { before: "group" in columns ? { group } : { status }, after: edit, writes, audits };
        },
      });
      return runBulk(db, plan, { preview: call.body.preview, changes: ["users"] });
    }),
  ];
}
