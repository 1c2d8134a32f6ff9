/** Root decides what administrators want to issue above their limit. */

import {
  approveQuotaRequest,
  listQuotaRequests,
  type QuotaRequest,
  refuseQuotaRequest,
} from "@tollgate/contract/accounts/quota-requests.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database, Write } from "../../storage/database.ts";
import type { QuotaRequestRow } from "../../storage/tables/money-tables.ts";
import { planTopUpWrites } from "../identity/users/top-up-user.ts";
import type { UserStore } from "../identity/users/user-store.ts";
import { changeCode, makeCodes } from "../redemptions/redemption-rules.ts";
import type { RedemptionStore } from "../redemptions/redemption-store.ts";
import type { NamedQuotaRequest, QuotaRequestStore } from "./quota-request-store.ts";

interface QuotaRequestDeps {
  db: Database;
  store: QuotaRequestStore;
  users: UserStore;
  redemptions: RedemptionStore;
  options: OptionReader;
  seal: Sealer;
}

export function buildQuotaRequestRoutes({
  db,
  store,
  users,
  redemptions,
  options,
  seal,
}: QuotaRequestDeps): ApiRoute[] {
  const existing = async (
    { principal }: AuthenticatedContext,
    { id }: Reference,
  ): Promise<QuotaRequestRow> => {
    const found = id === undefined ? undefined : await store.byId(id);
    if (!found || (principal.role < roles.root && found.user_id !== principal.id))
      throw refuse("quota_request_not_found");
    return found;
  };

  /** The statements of the act itself. */
  const actOf = async (request: QuotaRequestRow, now: number): Promise<Write[]> => {
    const { kind, target_uuid, name, quota, count, user_id } = request;
    if (kind === "codes")
      return [redemptions.insert(makeCodes({ name, quota, count }, user_id, now, seal))];
    if (kind === "user") {
      const account = await users.byReference({ uuid: target_uuid });
      if (!account) throw refuse("user_not_found");
      return planTopUpWrites({ db, options }, account, { quota, remark: name, at: now });
    }
    const code = await redemptions.find({ uuid: target_uuid });
    if (!code) throw refuse("redemption_not_found");
    return [
      redemptions.update(code, {
        ...changeCode(code, { quota }),
        updated_at: Math.max(now, code.updated_at + 1),
      }),
    ];
  };

  const decide = async (
    call: AuthenticatedContext,
    action: "approve" | "refuse",
    reference: Reference,
  ) => {
    const request = await existing(call, reference);
    const { id, user_id: requested_by, target_uuid, created_at: _, ...asked } = request;
    await db.write([
      ...(action === "approve" ? await actOf(request, call.now) : []),
      store.remove(id),
      ...call.audit(`quota_request.${action}`, target_uuid, {
        request: id,
        requested_by,
        ...asked,
      }),
    ]);
  };

  return [
    apiRoute(listQuotaRequests, async ({ principal }) =>
      (await store.waiting(principal.role >= roles.root ? undefined : principal.id)).map(
        viewQuotaRequest,
      ),
    ),
    apiRoute(approveQuotaRequest, (call) => decide(call, "approve", call.params.id)),
    apiRoute(refuseQuotaRequest, (call) => decide(call, "refuse", call.params.id)),
  ];
}

function viewQuotaRequest(request: NamedQuotaRequest): QuotaRequest {
  const {
    user_id: requested_by,
    requested_by_name,
    user_name,
    code_name,
    code_quota,
    ...shown
  } = request;
  const { kind, quota, count } = shown;
  return {
    ...shown,
    amount: kind === "code" ? Math.max(0, quota - (code_quota ?? 0)) : quota * count,
    target_name: user_name ?? code_name ?? "",
    requested_by,
    requested_by_name: requested_by_name ?? "",
  };
}
