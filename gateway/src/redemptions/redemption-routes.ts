/** API routes for redemption codes. */
import { named, type Reference } from "@tollgate/contract/ids.ts";
import {
  createRedemptions,
  deleteRedemption,
  findRedemption,
  getRedemption,
  listRedemptions,
  type RedemptionInput,
  redeemCode,
  redemptionStatus,
  searchRedemptions,
  updateRedemption,
  updateRedemptionStatus,
} from "@tollgate/contract/redemptions.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import { idempotent } from "../http/idempotency.ts";
import { refuse } from "../http/refusal.ts";
import type { AuthenticatedContext } from "../http/request-context.ts";
import type { UserStore } from "../identity/users/user-store.ts";
import type { Counters } from "../limits/counters.ts";
import type { Sealer } from "../secrets/seal.ts";
import type { OptionReader } from "../settings/live-options.ts";
import type { Database } from "../storage/database.ts";
import { uuid7 } from "../storage/time-ids.ts";
import { createRedeem } from "./redeem-code.ts";
import {
  changedCode,
  codeContext,
  codePurpose,
  hashCode,
  newCode,
  revealCode,
  viewRedemption,
} from "./redemption-rules.ts";
import type { RedemptionStore, RedemptionWithCreator } from "./redemption-store.ts";

interface RedemptionRoutesDeps {
  db: Database;
  redemptions: RedemptionStore;
  users: UserStore;
  options: OptionReader;
  seal: Sealer;
  counters: Counters;
}

export function redemptionRoutes({
  db,
  redemptions,
  users,
  options,
  seal,
  counters,
}: RedemptionRoutesDeps): ApiRoute[] {
  const redeem = createRedeem({ db, redemptions, users, options, counters });

  const existing = async (reference: Reference): Promise<RedemptionWithCreator> => {
    const code = await redemptions.find(reference);
    if (!code) throw refuse("redemption_not_found");
    return code;
  };

  /** Returns the uuids. The reply opens the stored codes, so that a repeated call shows the same ones. */
  const create = (call: AuthenticatedContext & { body: RedemptionInput }) =>
    idempotent(db, call, {
      name: "redemption.create",
      body: call.body,
      async create(remember) {
        const { name, quota, count } = call.body;
        const rows = Array.from({ length: count }, () => {
          const [uuid, code] = [uuid7(call.now), newCode()];
          return {
            uuid,
            user_id: call.principal.id,
            name,
            key_hash: hashCode(code),
            key_sealed: seal.seal(codePurpose, codeContext(uuid), code),
            status: redemptionStatus.unused,
            quota,
            created_at: call.now,
            updated_at: call.now,
          };
        });
        const uuids = rows.map(({ uuid }) => uuid).join(",");
        const audits = call.audit("redemption.create", rows[0]?.uuid ?? "", { name, quota, count });
        await db.write([redemptions.insert(rows), ...remember(uuids), ...audits]);
        return uuids;
      },
    });

  const change = async (call: AuthenticatedContext, reference: Reference, edit: Parameters<typeof changedCode>[1]) => {
    const code = await existing(reference);
    const columns = changedCode(code, edit);
    const updated_at = Math.max(call.now, code.updated_at + 1);
    await db.write([
      redemptions.update(code, { ...columns, updated_at }),
      ...call.audit("redemption.update", code.uuid, columns),
    ]);
    return viewRedemption({ ...code, ...columns, updated_at }, seal);
  };

  const list = async ({ query }: { query: Parameters<typeof redemptions.page>[0] }) => {
    const { rows, ...total } = await redemptions.page(query);
    return { data: rows.map((code) => viewRedemption(code, seal)), ...total };
  };

  return [
    apiRoute(listRedemptions, list),
    apiRoute(searchRedemptions, list),
    apiRoute(findRedemption, async ({ body }) => {
      const found = await redemptions.byHash(body.key_hash);
      return found ? [viewRedemption(await existing({ id: found.id }), seal)] : [];
    }),
    apiRoute(getRedemption, async ({ params }) => viewRedemption(await existing(params.id), seal)),
    apiRoute(createRedemptions, async (call) => {
      const created = await redemptions.withUuids((await create(call)).split(","));
      return created.map((code) => revealCode(code, seal));
    }),
    apiRoute(updateRedemption, (call) => change(call, named(call.body), call.body)),
    apiRoute(updateRedemptionStatus, (call) => change(call, named(call.body), { status: call.body.status })),
    apiRoute(deleteRedemption, async (call) => {
      const code = await existing(call.params.id);
      const { uuid, name, quota, status } = code;
      await db.write([redemptions.remove(code), ...call.audit("redemption.delete", uuid, { name, quota, status })]);
    }),
    apiRoute(redeemCode, (call) => redeem(call.body.key, call)),
  ];
}
