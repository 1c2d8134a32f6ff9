/** The route of verbs for many redemption codes. */

import { redemptionStatus } from "@tollgate/contract/accounts/redemptions.ts";
import { changeManyRedemptions } from "@tollgate/contract/api/bulk-verbs.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { findNamedChanges } from "../../http/member-changes.ts";
import { planBulk, runBulk } from "../../http/plan-bulk.ts";
import { refuse } from "../../http/refusal.ts";
import type { Database } from "../../storage/database.ts";
import { changeCode } from "./redemption-rules.ts";
import type { RedemptionStore } from "./redemption-store.ts";

export function buildBulkRedemptionRoutes(db: Database, redemptions: RedemptionStore): ApiRoute[] {
  return [
    apiRoute(changeManyRedemptions, async (call) => {
      const { ids, verb, preview } = call.body;
      const plan = await planBulk({
        ids,
        find: redemptions.find,
        missing: "redemption_not_found",
        nameOf: ({ name }) => name,
        step(code) {
          const { uuid, name, quota, status } = code;
          if (verb === "delete")
            return {
              writes: [redemptions.remove(code)],
              audits: call.audit("redemption.delete", uuid, { name, quota, status }),
            };
          const asked = verb === "enable" ? redemptionStatus.unused : redemptionStatus.disabled;
          const columns = changeCode(code, { status: asked });
          if (status === asked) throw refuse("bulk_unchanged");
          const updated_at = Math.max(call.now, code.updated_at + 1);
          return {
            before: { status },
            after: { status: asked },
            writes: [redemptions.update(code, { ...columns, updated_at })],
            audits: call.audit("redemption.update", uuid, findNamedChanges(code, columns)),
          };
        },
      });
      return runBulk(db, plan, { preview, changes: [] });
    }),
  ];
}
